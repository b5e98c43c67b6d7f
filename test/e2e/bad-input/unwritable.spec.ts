import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ChannelModel, Options } from 'amqplib';

import { openConnection } from '../../support/broker.ts';
import { healthy } from '../../support/platform-answers.ts';
import { ServiceUnderTest } from '../../support/service-under-test.ts';
import { until } from '../../support/until.ts';
import type { WorkerProcess } from '../../../scripts/processes/worker-process.ts';

/** Is replaced by as many bytes that are not UTF-8 on its way to the broker. */
const MARK = 'Z'.repeat(200);

/**
 * AMQP carries more than its clients can write: short strings of any bytes, numbers of any kind. Such values must
 * not prevent a reply or a copy from being written, or the command would be redelivered again and again.
 */
describe('a command with a property that cannot be written again', () => {
  let service: ServiceUnderTest;
  let worker: WorkerProcess;
  let hostile: ChannelModel;
  let id: string;

  beforeAll(async () => {
    service = await ServiceUnderTest.start({ behaviour: healthy() });
    worker = await service.worker();
    hostile = (await openConnection(service.url)).connection;
    garble(hostile);
  });
  afterAll(async () => {
    await hostile?.close();
    await service?.[Symbol.asyncDispose]();
  });
  beforeEach(() => {
    id = `id-${randomUUID()}`;
  });

  const outcomes = async () => {
    const outcome = (line: Record<string, unknown>) => line['id'] === id && 'outcome' in line;
    await until('the outcome is logged', () => worker.log.some(outcome));
    const [reply] = await service.caller.send('session.create', { userId: 'p-1' });
    expect(reply?.type).toBe('session.created');
    return worker.log.filter((line) => line['id'] === id).map((line) => line['outcome'] ?? line['msg']);
  };
  const publish = async (routingKey: string, options: Options.Publish, body = '{}') => {
    const channel = await hostile.createChannel();
    const properties = { messageId: id, replyTo: service.caller.replyQueue, ...options };
    channel.publish(service.name('commands'), routingKey, Buffer.from(body), properties);
    await channel.close();
  };

  it.each(['correlationId', 'contentType', 'contentEncoding', 'appId'])(
    '%s of bytes that are not UTF-8: refused once and answered, or served if the command is valid',
    async (property) => {
      await publish('session.create', { [property]: MARK });
      expect(await outcomes()).toEqual(['VALIDATION_FAILED']);
      const replies = service.caller.received.filter(({ headers }) => headers['command-id'] === id);
      expect(replies.map(({ body }) => body['code'])).toEqual(['VALIDATION_FAILED']);
      id = `id-${randomUUID()}`;
      await publish('session.create', { [property]: MARK }, '{"userId":"p-1"}');
      expect(await outcomes()).toEqual(['success']);
    },
  );

  it.each([
    ['a type', 'session.create', { type: MARK }, 'UNKNOWN_COMMAND'],
    ['a routing key', MARK, {}, 'UNKNOWN_COMMAND'],
    ['a reply_to', 'session.create', { replyTo: MARK }, 'REPLY_TO_MISSING'],
  ])('%s of bytes that are not UTF-8 is refused', async (_, routingKey, options, code) => {
    await publish(routingKey, options, '{"userId":"p-1"}');
    expect(await outcomes()).toEqual([code]);
  });

  it('a report in the wrong lane arrives in its own', async () => {
    const channel = await hostile.createChannel();
    const properties = {
      messageId: id,
      replyTo: service.caller.replyQueue,
      type: 'report.rake.fetch',
      appId: MARK,
    };
    channel.sendToQueue(service.name('interactive'), Buffer.from('{}'), properties);
    await channel.close();
    expect(await outcomes()).toEqual(['command moved to another queue', 'VALIDATION_FAILED']);
  });

  it.each([
    ['x-redriven', -1e300, 'VALIDATION_FAILED'],
    // The broker refuses NaN and the infinities from every sender.
    ['tracestate', 2 ** 50 + 0.5, 'VALIDATION_FAILED'],
    ['schema-version', 1e300, 'UNSUPPORTED_VERSION'],
  ])('the header %s of %d is refused once, and answered', async (name, value, code) => {
    await publish('session.create', { headers: { [name]: { '!': 'double', value } } });
    expect(await outcomes()).toEqual([code]);
  });

  it('a timestamp in the far future is refused once, and answered', async () => {
    await publish('session.create', { timestamp: 2 ** 64 - 2048 });
    expect(await outcomes()).toEqual(['VALIDATION_FAILED']);
  });
});

/** Replaces the mark in everything that the connection writes. */
function garble(connection: ChannelModel): void {
  const { stream } = (connection as unknown as { connection: { stream: Socket } }).connection;
  const write = stream.write.bind(stream);
  stream.write = (bytes: Buffer) => {
    for (let at = bytes.indexOf(MARK); at >= 0; at = bytes.indexOf(MARK, at))
      bytes.fill(0xff, at, at + MARK.length);
    return write(bytes);
  };
}
