import { mkdtemp, rm } from 'node:fs/promises';
import { createReadStream, existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';

import { type Caller, CallerError, type ReportPage } from '#caller';
import type { ReportName } from '#contracts';
import { exactJson } from '#signing';

import { addressOf, readBus, withCaller } from '../bus/bus.ts';
import { exitOfFault } from '../exit-of-fault.ts';
import { EXIT, type ExitCode, ExitError, usageError } from '../exit.ts';
import { interruptibly } from '../interruption.ts';
import { Progress } from '../output/progress.ts';
import { describeReply } from '../send/describe-reply.ts';
import { compare } from './compare.ts';
import { type TableFacts, toCsv, toJson } from './convert.ts';
import { describeEnding, type Ending, endingJson, warningsOf } from './ending.ts';
import { readRecords } from './records.ts';
import type { Period } from './period.ts';
import type { Reading } from './reading.ts';
import { reportDataOf, type ReportOptions } from './report-data.ts';
import { UnfinishedReport } from './unfinished-report.ts';
import { WrittenFile } from './written-file.ts';

const DEADLINE_MS = 600_000;
const MOST_PER_PAGE = 1_000;
const FORMATS = ['csv', 'ndjson', 'json', 'parquet'] as const;
type Format = (typeof FORMATS)[number];
const STANDARD_OUTPUT = '-';

/**
 * Fetches a whole report over the bus into a file, or what an interrupted run has left of it.
 *
 * @returns failed if the report ended with a failure, or if records of it are odd
 * @throws ExitError if the options or the file cannot be used, if it is interrupted, and like `withCaller`
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

/** A report as it is asked for. */
interface ReportRequest {
  readonly type: `report.${ReportName}.fetch`;
  /** Of the command. */
  readonly data: Period & Readonly<Record<string, unknown>>;
  readonly operator: string | undefined;
  /** For all of it. */
  readonly deadlineMs: number;
}

/** @param to where the end of the report, or its failure, is told */
async function fetchInto(
  name: ReportName,
  options: ReportOptions,
  out: string,
  to: NodeJS.WritableStream,
): Promise<ExitCode> {
  const { operator, deadlineMs = DEADLINE_MS, force: mayReplace = false, resume: resumes = false } = options;
  const format = formatOf(options);
  const data = await reportDataOf(name, options);
  const request = { type: `report.${name}.fetch`, data, operator, deadlineMs } as const;
  const identity = { report: name, ...data, operator, bus: addressOf(readBus()) };
  return interruptibly(async (signal) => {
    await using unfinished = await UnfinishedReport.open({ out, identity, resumes, mayReplace });
    const sentAtMs = Date.now();
    try {
      if (!unfinished.isComplete) await readInto(unfinished, request, signal);
      const ending = await endOf(name, options, unfinished);
      await writeReport(format, unfinished, { ...ending.facts, precisions: ending.precisions });
      const lines = options.json ? [endingJson(ending)] : describeEnding(ending);
      for (const line of lines) to.write(`${line}\n`);
      const warnings = warningsOf(ending, data, options.timeZone);
      for (const warning of warnings) process.stderr.write(`warning: ${warning}\n`);
      return unfinished.reading.faults > 0 ? EXIT.failed : EXIT.success;
    } catch (error) {
      const advice = await unfinished.keep();
      const answer = error instanceof CallerError ? error.answer : undefined;
      if (answer) {
        const body = exactJson(answer);
        const line = `{"type":"command.failed","body":${body}}\n`;
        to.write(options.json ? line : describeReply('command.failed', body, Date.now() - sentAtMs));
        if (advice !== undefined) process.stderr.write(`${advice}\n`);
        return EXIT.failed;
      }
      const end = exitOfFault(error);
      if (advice === undefined || !(end instanceof ExitError)) throw end;
      throw new ExitError(end.exitCode, `${end.message}\n${advice}`);
    }
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

/**
 * Reads to the end, and keeps each page.
 *
 * @throws CallerError; ExitError if the user interrupts it, or a page was lost on the way
 */
async function readInto(
  unfinished: UnfinishedReport,
  request: ReportRequest,
  signal: AbortSignal,
): Promise<void> {
  const { reading } = unfinished;
  const progress = new Progress('records', { total: reading.total, before: reading.records });
  try {
    const sent = await withCaller(async (caller) => {
      const pages = pagesOf(caller, request, reading, signal);
      for (;;) {
        const { value, done } = await pages.next();
        if (done) return value;
        await unfinished.add(value);
        progress.add(value.records.length, value.totalCount);
      }
    });
    await requireWhole(sent, unfinished);
  } catch (error) {
    throw signal.aborted ? new ExitError(EXIT.failed, 'interrupted; the file was not written') : error;
  } finally {
    progress.end();
  }
  await unfinished.complete();
}

/**
 * The pages that were not read yet, in order: all of one command, or each of a command of its own.
 *
 * @returns how many records the worker has sent, if all were of one command
 */
async function* pagesOf(
  caller: Caller,
  { type, data, operator, deadlineMs }: ReportRequest,
  reading: Reading,
  signal: AbortSignal,
): AsyncGenerator<ReportPage<object>, number | undefined> {
  const options = { ...(operator !== undefined && { operator }), signal };
  if (reading.pages === 0) {
    const whole = caller.fetchReport<typeof type, object>(type, data, { ...options, deadlineMs });
    yield* whole;
    return whole.summary?.records;
  }
  const endMs = performance.now() + deadlineMs;
  while (!reading.isAtEnd) {
    if (reading.isEndless) throw new ExitError(EXIT.failed, 'the report has no end: its pages keep growing');
    const before = reading.pages;
    const leftMs = Math.floor(endMs - performance.now());
    if (leftMs < 1) throw new ExitError(EXIT.noAnswer, `Not all pages came within ${deadlineMs} ms.`);
    // Pages must be cut as before, also if the worker's REPORTS_PER_PAGE has changed.
    const { perPage = 0 } = reading;
    const page = { ...(perPage > 0 && perPage <= MOST_PER_PAGE && { perPage }), ...data, page: before + 1 };
    yield* caller.fetchReport<typeof type, object>(type, page, { ...options, deadlineMs: leftMs });
    // It has become shorter.
    if (reading.pages === before) return undefined;
  }
  return undefined;
}

/** A page that was lost on the way is never a gap in the file. */
async function requireWhole(sent: number | undefined, unfinished: UnfinishedReport): Promise<void> {
  const { records } = unfinished.reading;
  if (sent === undefined || sent === records) return;
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
