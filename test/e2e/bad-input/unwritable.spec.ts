import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ChannelModel, Options } from 'amqplib';

import { openConnection } from '../../support/broker.ts';
import { healthy } from '../../support/platform-answers.ts';
import { serviceForAll } from '../../support/suite-service.ts';
import { until } from '../../support/until.ts';

/** A marker that is replaced, on its way to the broker, by the same number of bytes that are not UTF-8. */
const MARK = 'Z'.repeat(200);
const SESSION = '{"userId":"p-1"}';
const INVALID = 'VALIDATION_FAILED';
const double = (value: number) => ({ '!': 'double', value });

/**
 * AMQP can carry values that its clients cannot encode: short strings of arbitrary bytes, and numbers of any
 * kind. Such values must not prevent the worker from encoding a reply or a copy, or the broker would
 * redeliver the command forever.
 */
describe('a command with a property that clients cannot encode', () => {
  const service = serviceForAll({ behaviour: healthy(), workers: 1 });
  let hostile: ChannelModel;
  let id: string;

  beforeAll(async () => {
    hostile = (await openConnection()).connection;
    garble(hostile);
  });
  afterAll(() => hostile?.close());
  beforeEach(() => void (id = `id-${randomUUID()}`));

  const outcomes = async () => {
    const outcome = (line: Record<string, unknown>) => line['id'] === id && 'outcome' in line;
    await until('the outcome is logged', () => service.running.log.some(outcome));
    await service.expectServed();
    return service.running.log
      .filter((line) => line['id'] === id)
      .map((line) => line['outcome'] ?? line['msg']);
  };
  const publish = async (routingKey: string, options: Options.Publish, body = '{}') => {
    const channel = await hostile.createChannel();
    const properties = { messageId: id, replyTo: service.caller.replyQueue, ...options };
    channel.publish(service.name('commands'), routingKey, Buffer.from(body), properties);
    await channel.close();
  };

  it.each(['correlationId', 'contentType', 'contentEncoding', 'appId'])(
    'is refused once and answered, or served if valid, when %s is not UTF-8',
    async (property) => {
      await publish('session.create', { [property]: MARK });
      expect(await outcomes()).toEqual([INVALID]);
      const replies = service.caller.received.filter(({ headers }) => headers['command-id'] === id);
      expect(replies.map(({ body }) => body['code'])).toEqual([INVALID]);
      id = `id-${randomUUID()}`;
      await publish('session.create', { [property]: MARK }, SESSION);
      expect(await outcomes()).toEqual(['success']);
    },
  );

  it.each<[string, string, Options.Publish, string, string]>([
    ['a type of bytes that are not UTF-8', 'session.create', { type: MARK }, SESSION, 'UNKNOWN_COMMAND'],
    ['a routing key of such bytes', MARK, {}, SESSION, 'UNKNOWN_COMMAND'],
    ['a reply_to of such bytes', 'session.create', { replyTo: MARK }, SESSION, 'REPLY_TO_MISSING'],
    // The broker refuses NaN and the infinities from every sender.
    ['an odd x-redriven', 'session.create', { headers: { 'x-redriven': double(-1e300) } }, '{}', INVALID],
    [
      'an odd schema-version',
      'session.create',
      { headers: { 'schema-version': double(1e300) } },
      '{}',
      'UNSUPPORTED_VERSION',
    ],
    ['an odd timestamp', 'session.create', { timestamp: 2 ** 64 - 2048 }, '{}', INVALID],
  ])('%s is refused once', async (_, routingKey, options, body, code) => {
    await publish(routingKey, options, body);
    expect(await outcomes()).toEqual([code]);
  });
});

/** Replaces the marker in all data that the connection writes. */
function garble(connection: ChannelModel): void {
  const { stream } = (connection as unknown as { connection: { stream: Socket } }).connection;
  const write = stream.write.bind(stream);
  stream.write = (bytes: Buffer) => {
    for (let at = bytes.indexOf(MARK); at >= 0; at = bytes.indexOf(MARK, at))
      bytes.fill(0xff, at, at + MARK.length);
    return write(bytes);
  };
}
