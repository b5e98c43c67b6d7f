import { mkdtemp, rm } from 'node:fs/promises';
import { createReadStream, existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';

import type { ReportName } from '#contracts';
import type { BusReply } from '#messaging/client';

import { addressOf } from '../bus/address-of.ts';
import { exitOfFault } from '../bus/exit-of-fault.ts';
import { type Bus, readBus } from '../bus/read-bus.ts';
import { withBusClient } from '../bus/with-bus-client.ts';
import { EXIT, type ExitCode, ExitError, usageError } from '../exit.ts';
import { interruptibly } from '../interruption.ts';
import { Progress } from '../output/progress.ts';
import { describeReply } from '../send/describe-reply.ts';
import { replyLine } from '../send/reply-line.ts';
import { compare } from './compare.ts';
import { type TableFacts, toCsv, toJson } from './convert.ts';
import { describeEnding, type Ending, endingJson, warningsOf } from './ending.ts';
import { fetchAll, fetchRest, type Pages, type ReportRequest } from './fetch-pages.ts';
import { readRecords } from './records.ts';
import { reportDataOf, type ReportOptions } from './report-data.ts';
import { UnfinishedReport } from './unfinished-report.ts';
import { WrittenFile } from './written-file.ts';

const DEADLINE_MS = 600_000;
const FORMATS = ['csv', 'ndjson', 'json', 'parquet'] as const;
type Format = (typeof FORMATS)[number];
const STANDARD_OUTPUT = '-';

/**
 * Fetches a whole report over the bus into a file, or what an interrupted run has left of it.
 *
 * @returns failed if the report ended with a failure, or if records of it are odd
 * @throws ExitError if the options or the file cannot be used, if it is interrupted, and like `withBusClient`
 */
export async function report(name: ReportName, options: ReportOptions): Promise<ExitCode> {
  if (options.out !== STANDARD_OUTPUT) return fetchInto(name, options, options.out, process.stdout);
  if (options.resume) throw usageError('--resume needs a file: --out is the standard output');
  const folder = await mkdtemp(join(tmpdir(), 'poker-bridge-report-'));
  try {
    const file = join(folder, `report.${formatOf(options)}`);
    const code = await fetchInto(name, options, file, process.stderr);
    if (existsSync(file)) await pipeline(createReadStream(file), process.stdout, { end: false });
    return code;
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** @param to where the end of the report, or its failure, is told */
async function fetchInto(
  name: ReportName,
  options: ReportOptions,
  out: string,
  to: NodeJS.WritableStream,
): Promise<ExitCode> {
  const { operator, force: mayReplace = false, resume: resumes = false } = options;
  const format = formatOf(options);
  const data = await reportDataOf(name, options);
  const request = { report: name, data, operator, deadlineMs: options.deadlineMs ?? DEADLINE_MS };
  const identity = { report: name, ...data, operator, bus: addressOf(busOfSettings()) };
  return interruptibly(async (signal) => {
    await using unfinished = await UnfinishedReport.open({ out, identity, resumes, mayReplace });
    try {
      const sentAtMs = Date.now();
      const failure = unfinished.isComplete ? undefined : await readInto(unfinished, request, signal);
      if (failure) {
        to.write(options.json ? replyLine(failure) : describeReply(failure, Date.now() - sentAtMs));
        const advice = await unfinished.keep();
        if (advice !== undefined) process.stderr.write(`${advice}\n`);
        return EXIT.failed;
      }
      const ending = await endOf(name, options, unfinished);
      await writeReport(format, unfinished, { ...ending.facts, precisions: ending.precisions });
      const lines = options.json ? [endingJson(ending)] : describeEnding(ending);
      for (const line of lines) to.write(`${line}\n`);
      const warnings = warningsOf(ending, data, options.timeZone);
      for (const warning of warnings) process.stderr.write(`warning: ${warning}\n`);
    } catch (error) {
      const advice = await unfinished.keep();
      if (advice === undefined || !(error instanceof ExitError)) throw error;
      throw new ExitError(error.exitCode, `${error.message}\n${advice}`);
    }
    return unfinished.reading.faults > 0 ? EXIT.failed : EXIT.success;
  });
}

/** @throws ExitError if there is no such format */
function formatOf({ out, format: named }: ReportOptions): Format {
  const wanted = named ?? (out === STANDARD_OUTPUT ? 'csv' : extname(out).toLowerCase().slice(1));
  const format = FORMATS.find((each) => each === wanted);
  if (format) return format;
  throw usageError(
    `--out ends in ${FORMATS.map((each) => `.${each}`).join(', ')}, or is - for the standard output; ${out} does not`,
  );
}

function busOfSettings(): Bus {
  try {
    return readBus();
  } catch (error) {
    throw exitOfFault(error);
  }
}

/** Reads to the end. @returns the failure that ended it, if one did */
async function readInto(
  unfinished: UnfinishedReport,
  request: ReportRequest,
  signal: AbortSignal,
): Promise<BusReply | undefined> {
  const { reading } = unfinished;
  const isResumed = reading.pages > 0;
  const last = await withBusClient((client) => {
    const pages = isResumed ? fetchRest(client, request, reading) : fetchAll(client, request);
    return copy(pages, unfinished, signal);
  });
  if (last && last.type !== 'report.completed') return last;
  if (last) await requireWhole(last, unfinished);
  await unfinished.complete();
  return undefined;
}

/** Keeps each page. @throws ExitError if the user interrupts it, or a page was lost on the way */
async function copy(
  pages: Pages,
  unfinished: UnfinishedReport,
  signal: AbortSignal,
): Promise<BusReply | undefined> {
  const { reading } = unfinished;
  const progress = new Progress('records', { total: reading.total, before: reading.records });
  const interrupted = new Promise<never>((_, reject) => {
    const refuse = (): void => reject(new ExitError(EXIT.failed, 'interrupted; the file was not written'));
    if (signal.aborted) refuse();
    signal.addEventListener('abort', refuse, { once: true });
  });
  // It may come when nobody waits any more.
  interrupted.catch(() => undefined);
  try {
    for (;;) {
      const { value, done } = await Promise.race([pages.next(), interrupted]);
      if (done) return value;
      const expected = reading.pages + 1;
      if (value.page !== expected) throw new ExitError(EXIT.noAnswer, `page ${expected} was lost on the way`);
      await unfinished.add(value);
      progress.add(value.records.length, value.totalCount);
    }
  } finally {
    progress.end();
    // Its timer would keep the process alive up to the deadline.
    void pages.return(undefined);
  }
}

/** A page that was lost on the way is never a gap in the file. */
async function requireWhole({ text }: BusReply, unfinished: UnfinishedReport): Promise<void> {
  const sent = (JSON.parse(text) as { records: number }).records;
  const { records } = unfinished.reading;
  if (sent === records) return;
  await unfinished.discard();
  throw new ExitError(
    EXIT.noAnswer,
    `the worker sent ${sent} records, and ${records} arrived; the file was not written: ask again`,
  );
}

async function endOf(
  name: ReportName,
  { out, decimals, compare: earlier }: ReportOptions,
  { reading, records }: UnfinishedReport,
): Promise<Ending> {
  const facts = await readRecords(name, records.lines(), reading.records);
  const precisions = new Map(reading.precisions);
  for (const [currency, count] of decimals ?? []) {
    if ((precisions.get(currency) ?? null) === null) precisions.set(currency, count);
  }
  const comparison =
    earlier === undefined ? undefined : await compare(earlier, records.lines(), facts.amounts);
  return { file: out, report: name, reading, facts, precisions, comparison };
}

/**
 * Gives a report that was read its final form and name.
 *
 * @throws ExitError if it cannot have that form, or that name is taken by now
 */
async function writeReport(format: Format, unfinished: UnfinishedReport, facts: TableFacts): Promise<void> {
  const { records } = unfinished;
  if (format === 'ndjson') return unfinished.finish(records);
  await using converted = await WrittenFile.create(`${records.path}.${format}`, true);
  try {
    if (format === 'json') await toJson(records, converted);
    else if (format === 'csv') await toCsv(records, converted, facts);
    else {
      const { toParquet } = await import('./to-parquet.ts');
      await toParquet(records, converted, facts);
    }
  } catch (error) {
    await converted.remove();
    // It would fail again, however often the report is resumed.
    if (error instanceof ExitError && !converted.fault) await unfinished.discard();
    throw error;
  }
  await unfinished.finish(converted);
}
