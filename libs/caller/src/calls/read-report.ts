import { randomUUID } from 'node:crypto';

import type { CommandData } from '@poker-bridge/contracts';
import type { COMMANDS } from '@poker-bridge/contracts/validation';
import { type BrokerConnection, onChannel, QueueConsumer } from '@poker-bridge/rabbitmq';

import { abortable } from '../bus/abortable.ts';
import { declareReplyQueue, untilSettled } from '../bus/reply-queue.ts';
import { CallerError } from '../errors/caller-error.ts';
import { PageStream } from '../reports/page-stream.ts';
import { readPage, readSummary, Report, type ReportPage, type ReportSummary } from '../reports/report.ts';
import { Attempts, type Bus } from './attempts.ts';
import { type CallOptions, prepareCommand, type PreparedCommand } from './prepare-command.ts';

const DEADLINE_MS = 600_000;
/** Pages in this process; each may be some MiB. */
const PAGES_PREFETCHED = 4;
/** Pages that wait at the broker. The worker reads on when there is room. */
const PAGES_QUEUED = 16;
const DELETE_TIMEOUT_MS = 2_000;
const QUEUE_ARGUMENTS = {
  'x-max-length': PAGES_QUEUED,
  'x-overflow': 'reject-publish',
  // A reader that was left may leave pages: they go with the queue. Longer than the worker waits for room.
  'x-expires': 300_000,
};

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
  const { signal: ending } = attempts.limit;
  const { connection } = bus.replyQueue;
  const consumer = new QueueConsumer({
    queue,
    prefetch: PAGES_PREFETCHED,
    handle: (delivery) => untilSettled(delivery, (page) => stream.push(page)),
  });
  let isComplete = false;
  try {
    await bus.replyQueue.ready(ending);
    const model = await abortable(connection.established(), ending);
    await declareReplyQueue(model, queue, QUEUE_ARGUMENTS);
    consumer.start(connection, (current) => declareReplyQueue(current, queue, QUEUE_ARGUMENTS));
    for (;;) {
      try {
        await attempts.publish();
        const summary = yield* pagesOfOneRun<R>(stream, ending);
        isComplete = true;
        return summary;
      } catch (error) {
        await attempts.pauseAfter(error);
      }
    }
  } finally {
    attempts.limit.end();
    await consumer.drain(0);
    // Without its queue the worker stops, and so it does once the queue of a report that was left is full.
    if (isComplete) await deleteQueue(connection, queue).catch(() => undefined);
  }
}

async function deleteQueue(connection: BrokerConnection, queue: string): Promise<void> {
  if (!connection.isUsable) return;
  const model = await connection.established();
  await onChannel(model, DELETE_TIMEOUT_MS, 'the deletion', (channel) => channel.deleteQueue(queue));
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
    if (reply.type === 'report.completed') return readSummary(reply, stream);
  }
}
