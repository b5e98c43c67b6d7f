import type { ReportCompleted, ReportName } from '#contracts';
import type { BusReply } from '#messaging/client';

import { addressOf } from '../bus/address-of.ts';
import { exitOfFault } from '../bus/exit-of-fault.ts';
import { type Bus, readBus } from '../bus/read-bus.ts';
import { withBusClient } from '../bus/with-bus-client.ts';
import { EXIT, type ExitCode, ExitError } from '../exit.ts';
import { interruptibly } from '../interruption.ts';
import { Progress } from '../output/progress.ts';
import { describeReply } from '../send/describe-reply.ts';
import { replyLine } from '../send/reply-line.ts';
import { countRepeats } from './count-repeats.ts';
import { fetchAll, fetchRest, type Pages, type ReportRequest } from './fetch-pages.ts';
import { reportDataOf } from './report-data.ts';
import { formatOf } from './report-format.ts';
import type { ReportOptions } from './report-options.ts';
import { tell, warnOfEnd } from './tell.ts';
import { UnfinishedReport } from './unfinished-report.ts';
import { writeReport } from './write-report.ts';

const DEADLINE_MS = 600_000;

/**
 * Fetches a whole report over the bus into a file, or what an interrupted run has left of it.
 *
 * @throws ExitError if the options or the file cannot be used, if it is interrupted, and like `withBusClient`
 */
export async function report(name: ReportName, options: ReportOptions): Promise<ExitCode> {
  const { out, operator, force: mayReplace = false, resume: resumes = false } = options;
  const format = formatOf(out);
  const data = await reportDataOf(name, options);
  const request = { report: name, data, operator, deadlineMs: options.deadlineMs ?? DEADLINE_MS };
  const identity = { report: name, ...data, operator, bus: addressOf(busOfSettings()) };
  return interruptibly(async (signal) => {
    await using unfinished = await UnfinishedReport.open({ out, identity, resumes, mayReplace });
    try {
      const sentAtMs = Date.now();
      const failure = await readInto(unfinished, request, signal);
      if (failure) {
        process.stdout.write(
          options.json ? replyLine(failure) : describeReply(failure, Date.now() - sentAtMs),
        );
        const advice = await unfinished.keep();
        if (advice !== undefined) process.stderr.write(`${advice}\n`);
        return EXIT.failed;
      }
      await writeReport(name, format, unfinished);
    } catch (error) {
      const advice = await unfinished.keep();
      if (advice === undefined || !(error instanceof ExitError)) throw error;
      throw new ExitError(error.exitCode, `${error.message}\n${advice}`);
    }
    const { completed, reading } = unfinished;
    if (completed) tell(completed, reading, options);
    warnOfEnd(data, options.timeZone);
    return EXIT.success;
  });
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
  if (unfinished.completed) return undefined;
  const { reading, records } = unfinished;
  const isResumed = reading.pages > 0;
  const last = await withBusClient((client) => {
    const pages = isResumed ? fetchRest(client, request, reading) : fetchAll(client, request);
    return copy(pages, unfinished, signal);
  });
  if (last && last.type !== 'report.completed') return last;
  if (last)
    await unfinished.complete(await requireWhole(JSON.parse(last.text) as ReportCompleted, unfinished));
  else {
    const repeats = await countRepeats(records.lines(), reading.records);
    await unfinished.complete(reading.completed(request.report, repeats));
  }
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
      if (value.page !== reading.pages + 1) throw gap(reading.pages + 1);
      await unfinished.add(value);
      progress.add(value.records.length, value.totalCount);
    }
  } finally {
    progress.end();
    // Its timer would keep the process alive up to the deadline.
    void pages.return(undefined);
  }
}

function gap(page: number): ExitError {
  return new ExitError(EXIT.noAnswer, `page ${page} was lost on the way`);
}

/** A page that was lost on the way is never a gap in the file. */
async function requireWhole(
  completed: ReportCompleted,
  unfinished: UnfinishedReport,
): Promise<ReportCompleted> {
  const { records } = unfinished.reading;
  if (completed.records === records) return completed;
  await unfinished.discard();
  throw new ExitError(
    EXIT.noAnswer,
    `the worker sent ${completed.records} records, and ${records} arrived; the file was not written: ask again`,
  );
}
