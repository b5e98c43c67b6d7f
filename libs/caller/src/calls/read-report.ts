import { randomUUID } from 'node:crypto';

import type { CommandData } from '@poker-bridge/contracts';
import { type BrokerConnection, onChannel, QueueConsumer } from '@poker-bridge/rabbitmq';

import { abortable } from '../bus/abortable.ts';
import { declareReplyQueue, type Model, type ReplyQueue } from '../bus/reply-queue.ts';
import { CallerError } from '../errors/caller-error.ts';
import { PageStream } from '../reports/page-stream.ts';
import { readPage, readSummary, Report, type ReportPage, type ReportSummary } from '../reports/report.ts';
import { Attempts, type Bus } from './attempts.ts';
import { type CallOptions, prepareCommand, type ReportCommand } from './prepare-command.ts';

const DEADLINE_MS = 600_000;
/** Pages in this process; each may be some MiB. */
const PAGES_PREFETCHED = 4;
/** Pages that wait at the broker. The worker reads on when there is room. */
const PAGES_QUEUED = 16;
const DELETE_TIMEOUT_MS = 2_000;
const QUEUE_ARGUMENTS = {
  'x-max-length': PAGES_QUEUED,
  'x-overflow': 'reject-publish',
  // A reader that leaves may leave pages behind: they go with the queue. Longer than the worker waits for room.
  'x-expires': 300_000,
};

/**
 * A report whose pages come through a bounded queue of its own. It is fetched when it is first read.
 *
 * @throws CallerError `VALIDATION_FAILED`
 */
export function readReport<T extends ReportCommand, R>(
  bus: Bus,
  type: T,
  data: CommandData[T],
  { deadlineMs = DEADLINE_MS, id = randomUUID(), ...options }: CallOptions = {},
): Report<R> {
  const queue = `${bus.queuePrefix}report.${randomUUID()}`;
  const prepare = () => prepareCommand(bus.sender, queue, type, data, { ...options, id, deadlineMs });
  // An id that no message can have is refused at once; the deadline begins when the report is first read.
  prepare();
  const begin = () => new Attempts(bus, prepare(), deadlineMs, options.signal);
  return new Report<R>(pagesOf<R>(bus.replyQueue, queue, new PageStream(id), begin));
}

async function* pagesOf<R>(
  replyQueue: ReplyQueue,
  queue: string,
  stream: PageStream,
  begin: () => Attempts,
): AsyncGenerator<ReportPage<R>, ReportSummary> {
  const attempts = begin();
  const { signal } = attempts.limit;
  const { connection } = replyQueue;
  const declare = (model: Model) => declareReplyQueue(model, queue, QUEUE_ARGUMENTS);
  const consumer = new QueueConsumer({
    queue,
    prefetch: PAGES_PREFETCHED,
    handle: (delivery) => stream.push(delivery),
  });
  let isComplete = false;
  try {
    await replyQueue.ready(signal);
    await declare(await abortable(connection.established(), signal));
    consumer.start(connection, declare);
    for (;;) {
      try {
        await attempts.publish();
        const summary = yield* pagesOfOneRun<R>(stream, signal);
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

async function deleteQueue(connection: BrokerConnection, queue: string): Promise<void> {
  if (!connection.isUsable) return;
  const model = await connection.established();
  await onChannel(model, DELETE_TIMEOUT_MS, 'the deletion', (channel) => channel.deleteQueue(queue));
}
