import { randomUUID } from 'node:crypto';

import {
  CommandError,
  type ReportCompleted,
  type ReportName,
  type ReportPage,
  validateCommand,
} from '#contracts';
import type { BusReply } from '#messaging/client';
import { parseExactJson } from '#signing';

import { withBusClient } from '../bus/with-bus-client.ts';
import { EXIT, type ExitCode, ExitError, usageError } from '../exit.ts';
import { exactJson } from '../input/exact-json.ts';
import { interruptibly } from '../interruption.ts';
import { printable } from '../output/printable.ts';
import { Progress } from '../output/progress.ts';
import { describeReply } from '../send/describe-reply.ts';
import { replyLine } from '../send/reply-line.ts';
import { toCsv, toJson } from './convert.ts';
import { endOf, type Period } from './period.ts';
import { formatOf, ReportFile } from './report-file.ts';

const DEADLINE_MS = 600_000;

export interface ReportOptions {
  readonly from?: string;
  readonly to?: string;
  readonly month?: Period;
  readonly out: string;
  readonly force?: true;
  readonly userId?: string;
  readonly currency?: string;
  readonly timeZone?: string;
  readonly sort?: string;
  readonly perPage?: number;
  readonly operator?: string;
  readonly deadlineMs?: number;
  readonly json?: true;
}

/** What was read of a report so far. */
interface Reading {
  readonly members: Set<string>;
  readonly precisions: Map<string, number | null>;
  records: number;
}

/**
 * Fetches a whole report over the bus into a file.
 *
 * @throws ExitError if the options or the file cannot be used, and like `withBusClient`
 */
export function report(name: ReportName, options: ReportOptions): Promise<ExitCode> {
  const { out, force: mayReplace = false } = options;
  const format = formatOf(out);
  const data = dataOf(name, options);
  return interruptibly(async (signal) => {
    const sentAtMs = Date.now();
    await using records = await ReportFile.create(out, 'records', mayReplace);
    const reading: Reading = { members: new Set(), precisions: new Map(), records: 0 };
    const last = await fetchInto(records, reading, { type: `report.${name}.fetch`, data, options, signal });
    if (last.type !== 'report.completed') {
      process.stdout.write(options.json ? replyLine(last) : describeReply(last, Date.now() - sentAtMs));
      return EXIT.failed;
    }
    const completed = JSON.parse(last.text) as ReportCompleted;
    requireWhole(completed, reading);
    if (format === 'ndjson') await records.finish(mayReplace);
    else {
      await using table = await ReportFile.create(out, format, mayReplace);
      if (format === 'json') await toJson(records, table);
      else await toCsv(records, table, { ...reading, amounts: await amountsOf(name) });
      await table.finish(mayReplace);
    }
    tell(completed, reading, options);
    return EXIT.success;
  });
}

function dataOf(name: ReportName, options: ReportOptions): object {
  const { month, from, to, userId, currency, timeZone, sort, perPage } = options;
  if (month ? (from ?? to) !== undefined : from === undefined || to === undefined) {
    throw usageError('say either --month, or --from and --to');
  }
  const period = month ?? { dateFrom: endOf(from ?? ''), dateTo: endOf(to ?? '') };
  const data = Object.fromEntries(
    Object.entries({ ...period, userId, currency, timeZone, sort, perPage }).filter(
      ([, value]) => value !== undefined,
    ),
  );
  try {
    validateCommand(`report.${name}.fetch`, data);
    return data;
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    const faults = error.violations?.map(({ pointer, message }) => `${pointer.slice(1)} ${message}`);
    throw usageError((faults ?? [error.message]).join('; '));
  }
}

interface Fetch {
  readonly type: string;
  readonly data: object;
  readonly options: ReportOptions;
  readonly signal: AbortSignal;
}

/** Writes the records of all pages, one a line, and gives the final reply. */
function fetchInto(
  file: ReportFile,
  reading: Reading,
  { type, data, options, signal }: Fetch,
): Promise<BusReply> {
  const { operator, deadlineMs = DEADLINE_MS } = options;
  return withBusClient(async (client) => {
    const command = { type, text: JSON.stringify(data), id: randomUUID(), operator, deadlineMs };
    const progress = new Progress('records');
    const replies = client.send(command);
    const interrupted = new Promise<never>((_, reject) => {
      const refuse = (): void =>
        reject(new ExitError(EXIT.failed, `interrupted; ${options.out} was not written`));
      if (signal.aborted) refuse();
      signal.addEventListener('abort', refuse, { once: true });
    });
    // It may come when nobody waits any more.
    interrupted.catch(() => undefined);
    let last: BusReply | undefined;
    try {
      for (;;) {
        const { value: reply, done } = await Promise.race([replies.next(), interrupted]);
        if (done) break;
        last = reply;
        if (!reply.isFinal) await writePage(reply, file, reading, progress);
      }
    } finally {
      progress.end();
      // Its timer would keep the process alive up to the deadline.
      void replies.return();
    }
    if (last?.isFinal) return last;
    throw new ExitError(EXIT.noAnswer, 'the report ended without a final reply');
  });
}

async function writePage(
  { text }: BusReply,
  file: ReportFile,
  reading: Reading,
  progress: Progress,
): Promise<void> {
  const { records, precisions, totalCount } = parseExactJson(text) as ReportPage;
  for (const [currency, precision] of Object.entries(precisions)) reading.precisions.set(currency, precision);
  for (const record of records) {
    for (const member of Object.keys(record)) reading.members.add(member);
    await file.write(`${exactJson(record)}\n`);
  }
  reading.records += records.length;
  progress.add(records.length, totalCount);
}

/** A page that was lost on the way is never a gap in the file. */
function requireWhole({ records }: ReportCompleted, { records: read }: Reading): void {
  if (records === read) return;
  throw new ExitError(
    EXIT.noAnswer,
    `the worker sent ${records} records, and ${read} arrived; the file was not written: ask again`,
  );
}

/** Loaded only for a table: it takes longer than everything else here. */
async function amountsOf(name: ReportName): Promise<readonly string[]> {
  const { REPORT_AMOUNTS } = await import('#platform');
  return REPORT_AMOUNTS[name];
}

function tell(completed: ReportCompleted, { precisions }: Reading, { out, json }: ReportOptions): void {
  const { pages, records, totalCount, changedWhileReading } = completed;
  if (json) process.stdout.write(`${JSON.stringify({ file: out, ...completed })}\n`);
  else process.stdout.write(`${records} records of ${pages} pages in ${out}\n`);
  const warn = (text: string): void => void process.stderr.write(`warning: ${text}\n`);
  if (changedWhileReading) warn('the report changed while it was read; fetch it again');
  else if (records !== totalCount) warn(`the platform counts ${totalCount} records`);
  const unknown = [...precisions].flatMap(([currency, precision]) => (precision === null ? [currency] : []));
  if (unknown.length > 0) {
    const names = printable(unknown.toSorted().join(', '));
    warn(`no decimals are known of ${names}: the worker's CURRENCY_PRECISIONS does not name them`);
  }
}
