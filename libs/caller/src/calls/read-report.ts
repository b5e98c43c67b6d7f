import { randomUUID } from 'node:crypto';

import type { CommandData, COMMANDS } from '@poker-bridge/contracts';

import { CallerError } from '../errors/caller-error.ts';
import { QueueReader } from '../replies/queue-reader.ts';
import { PageStream } from '../reports/page-stream.ts';
import { readPage, type ReportPage, type ReportSummary } from '../reports/report-page.ts';
import { Report } from '../reports/report.ts';
import { Attempts } from './attempts.ts';
import type { Bus } from './bus.ts';
import type { CallOptions } from './call-options.ts';
import { type PreparedCommand, prepareCommand } from './prepare-command.ts';

const DEADLINE_MS = 600_000;
/** Pages in this process; each may be some MiB. */
const PAGES_PREFETCHED = 4;
/** Pages that wait at the broker. The worker reads on when there is room. */
const PAGES_QUEUED = 16;
/** A reader that was left may leave pages: they go with the queue. Longer than the worker waits for room. */
const QUEUE_EXPIRES_MS = 300_000;

/** A command whose replies are the pages of a report. */
export type ReportCommand = Extract<(typeof COMMANDS)[number], { lane: 'reports' }>['type'];

/**
 * A report whose pages come through a bounded queue of its own. It is fetched when it is first read.
 *
 * @throws CallerError `VALIDATION_FAILED`
 */
export function readReport<T extends ReportCommand, R>(
  bus: Bus,
  type: T,
  data: CommandData[T],
  options: CallOptions = {},
): Report<R> {
  const deadlineMs = options.deadlineMs ?? DEADLINE_MS;
  const { id } = prepareCommand(bus.sender, '', type, data, { ...options, deadlineMs });
  const queue = `${bus.queuePrefix}report.${randomUUID()}`;
  const prepare = () => prepareCommand(bus.sender, queue, type, data, { ...options, id, deadlineMs });
  return new Report<R>(pagesOf<R>(bus, prepare, queue, deadlineMs, options.signal));
}

async function* pagesOf<R>(
  bus: Bus,
  prepare: () => PreparedCommand,
  queue: string,
  deadlineMs: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<ReportPage<R>, ReportSummary> {
  // The deadline begins with the first look.
  const command = prepare();
  const attempts = new Attempts(bus, command, deadlineMs, signal);
  const stream = new PageStream(command.id);
  const reader = new QueueReader({
    connection: bus.connection,
    queue,
    arguments: {
      'x-max-length': PAGES_QUEUED,
      'x-overflow': 'reject-publish',
      'x-expires': QUEUE_EXPIRES_MS,
    },
    prefetch: PAGES_PREFETCHED,
    onDelivery: (delivery) => stream.push(delivery),
  });
  let isComplete = false;
  try {
    await reader.ready(attempts.limit.signal);
    for (;;) {
      try {
        await attempts.publish();
        const summary = yield* pagesOfOneRun<R>(stream, attempts.limit.signal);
        isComplete = true;
        return summary;
      } catch (error) {
        await attempts.pauseAfter(error);
      }
    }
  } finally {
    attempts.limit.end();
    // A queue that is gone has its pages parked at the worker's; one that is full stops them.
    await reader.close(isComplete);
  }
}

async function* pagesOfOneRun<R>(
  stream: PageStream,
  signal: AbortSignal,
): AsyncGenerator<ReportPage<R>, ReportSummary> {
  for (;;) {
    const { reply, acknowledge } = await stream.next(signal);
    if (reply.type === 'report.page') yield readPage<R>(reply);
    acknowledge();
    if (reply.type === 'command.failed') throw CallerError.ofReply(reply.data);
    if (reply.type === 'report.completed') {
      const summary = reply.data as ReportSummary;
      return { ...summary, changedWhileReading: summary.changedWhileReading || stream.hasChanged };
    }
  }
}
