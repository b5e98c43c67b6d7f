import { createReadStream, createWriteStream, existsSync, rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';

import { CallerError } from '#caller';
import type { ReportName } from '#contracts';
import { exactJson } from '#signing';

import { commandFaults } from '../command-faults.ts';
import { EXIT, ExitError, usageError } from '../exit.ts';
import { readValue } from '../input.ts';
import { interruptibly } from '../interruption.ts';
import type { Options } from '../options.ts';
import { Progress } from '../progress.ts';
import { describeReply } from '../send/describe-reply.ts';
import { readBus } from '../servers.ts';
import { compare, readEarlier } from './compare.ts';
import { describeEnding, type Ending, endingJson, endingOf, warningsOf } from './ending.ts';
import { ReportFacts } from './facts.ts';
import { type Format, FORMATS } from './formats.ts';
import { type PeriodOptions, periodOf } from './period.ts';
import { readPages, type ReportRequest } from './read-pages.ts';
import { UnfinishedReport, writing } from './unfinished-report.ts';

const STANDARD_OUTPUT = '-';
/** The options of `report ad-hoc` and `report rake`. */
export type ReportOptions = PeriodOptions &
  Options<
    'format' | 'userId' | 'currency' | 'convertToPreferredCurrency' | 'sort' | 'operator' | 'compare',
    'force' | 'resume' | 'json',
    'perPage'
  > & {
    readonly out: string;
    readonly deadlineMs: number;
    /** Decimals of currencies that the worker does not know. */
    readonly decimals?: readonly (readonly [string, number])[];
  };

/** @throws ExitError if the options or the file cannot be used, or if it is interrupted; else like `readPages` */
export async function report(name: ReportName, options: ReportOptions): Promise<void> {
  if (options.out !== STANDARD_OUTPUT) return fetchInto(name, options, options.out, process.stdout);
  if (options.resume) throw usageError('--resume needs a file: --out is the standard output');
  const folder = await mkdtemp(join(tmpdir(), 'poker-bridge-report-'));
  // Also if the reader of the standard output has enough, which ends the process.
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, `report.${formatOf(options)}`);
  await fetchInto(name, options, file, process.stderr);
  if (existsSync(file)) await pipeline(createReadStream(file), process.stdout, { end: false });
}

/** @param to where the end of the report, or its failure, is printed */
async function fetchInto(
  name: ReportName,
  options: ReportOptions,
  out: string,
  to: NodeJS.WritableStream,
): Promise<void> {
  const { operator, deadlineMs, force: mayReplace = false, resume: resumes = false, decimals } = options;
  const format = formatOf(options);
  const data = await dataOf(name, options);
  const request = { type: `report.${name}.fetch`, data, operator, deadlineMs } as const;
  const identity = { report: name, ...data, operator, bus: busAddress() };
  const noFacts = () => new ReportFacts(name, decimals);
  const { amounts } = noFacts();
  const earlier = options.compare === undefined ? undefined : await readEarlier(options.compare, amounts);
  return interruptibly(async (signal) => {
    const unfinished = await UnfinishedReport.open({ out, identity, noFacts, resumes, mayReplace });
    const sentAtMs = Date.now();
    let ending: Ending;
    try {
      await readInto(unfinished, request, signal);
      const { facts } = unfinished;
      const comparison = earlier && (await compare(earlier, unfinished.records(), amounts));
      ending = endingOf(options.out, facts, comparison);
      await writeReport(format, unfinished);
    } catch (error) {
      const left = await unfinished.leave();
      // A report for the standard output lies in a temporary folder.
      if (options.out !== STANDARD_OUTPUT) process.stderr.write(left);
      if (!(error instanceof CallerError) || !error.answer) throw error;
      const body = exactJson(error.answer);
      const line = `{"type":"command.failed","body":${body}}\n`;
      to.write(options.json ? line : describeReply('command.failed', body, Date.now() - sentAtMs));
      process.exitCode = EXIT.failed;
      return;
    }
    const lines = options.json ? [endingJson(ending)] : describeEnding(ending);
    for (const line of lines) to.write(`${line}\n`);
    const warnings = warningsOf(ending, data, options.timeZone);
    for (const warning of warnings) process.stderr.write(`warning: ${warning}\n`);
    if (ending.facts.faults > 0) process.exitCode = EXIT.failed;
  });
}

function formatOf({ out, format }: ReportOptions): Format {
  const name = format ?? (out === STANDARD_OUTPUT ? 'csv' : extname(out).toLowerCase().slice(1));
  if (Object.hasOwn(FORMATS, name)) return name as Format;
  const endings = Object.keys(FORMATS).map((each) => `.${each}`);
  throw usageError(`--out ends in ${endings.join(', ')}, or is - for the standard output; ${out} does not`);
}

/** The data of the command that the options ask for. @throws ExitError if it would not be valid, or a file cannot be read */
async function dataOf(name: ReportName, options: ReportOptions): Promise<ReportRequest['data']> {
  const { currency, timeZone, convertToPreferredCurrency, sort, perPage } = options;
  const period = periodOf(options, Date.now());
  const userId = options.userId === undefined ? undefined : await readValue(options.userId);
  const given = Object.entries({ userId, currency, timeZone, convertToPreferredCurrency, sort, perPage });
  const data = { ...period, ...Object.fromEntries(given.filter(([, value]) => value !== undefined)) };
  const faults = commandFaults(`report.${name}.fetch`, data);
  if (faults.length > 0) throw usageError(faults.map((fault) => fault.replace(/^\//, '')).join('; '));
  return data;
}

/** Which bus it is, without users, passwords and ports: `host[, host] /vhost prefix`. */
function busAddress(): string {
  const { urls, prefix } = readBus();
  const nodes = urls.map((url) => new URL(url));
  const hosts = [...new Set(nodes.map(({ hostname }) => hostname))].toSorted();
  return `${hosts.join(', ')} ${nodes[0]?.pathname || '/'} ${prefix}`;
}

async function readInto(
  unfinished: UnfinishedReport,
  request: ReportRequest,
  signal: AbortSignal,
): Promise<void> {
  const { facts } = unfinished;
  const progress = new Progress('records', facts.last?.totalCount, facts.records);
  try {
    for await (const page of readPages(request, facts, signal)) {
      await unfinished.add(page);
      progress.add(page.records.length, page.totalCount);
    }
  } catch (error) {
    throw signal.aborted ? new ExitError(EXIT.failed, 'interrupted; the file was not written') : error;
  } finally {
    progress.end();
  }
}

/** Gives a report its final form and name. @throws ExitError if it cannot have that form, or the name is taken by now */
async function writeReport(format: Format, unfinished: UnfinishedReport): Promise<void> {
  const path = `${unfinished.path}.${format}`;
  const content = FORMATS[format](unfinished.records(), unfinished.facts);
  try {
    await writing(path, () => pipeline(content, createWriteStream(path, { flush: true })));
    await unfinished.finish(path);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    // It would fail again, however often it is resumed.
    await unfinished.reset();
    throw new ExitError(EXIT.failed, error.message);
  } finally {
    await rm(path, { force: true });
  }
}
