import { randomUUID } from 'node:crypto';

import { describe, expect, it } from '@jest/globals';
import type { Options } from 'amqplib';

import { healthy } from '../../support/platform-answers.ts';
import { entry, publishRaw, raw } from '../../support/raw-message.ts';
import { serviceForAll } from '../../support/suite-service.ts';
import { foreignHeadersOf, type Testimony, witnessForAll } from './witness.ts';

/** A message that violates the contract, and its refusal. */
interface BadMessage {
  readonly name: string;
  readonly code: string;
  /** Default: `session.create`. */
  readonly routingKey?: string;
  /** Bytes, or a value that is sent as JSON. Default: a valid session. */
  readonly body?: unknown;
  readonly options?: Options.Publish;
  /** The encoded entries of a table that is sent instead of headers. */
  readonly rawHeaders?: Buffer;
  /** The pointers of the violations, in any order. */
  readonly pointers?: readonly string[];
}

const text = (body: string): Buffer => Buffer.from(body);
const SEAL = entry('x-seal', raw.text('A'.repeat(44)));
const refused = (code: string, messages: Readonly<Record<string, Partial<BadMessage>>>): BadMessage[] =>
  Object.entries(messages).map(([name, message]) => ({ name, code, ...message }));

/** One message for each refusal in the code; the unit specs cover all values. */
const BAD_MESSAGES = [
  ...refused('MALFORMED_MESSAGE', { 'no JSON': { body: text('hello') } }),
  ...refused('MESSAGE_TOO_LARGE', {
    'one byte too many': { body: text(`{"userId": "${'x'.repeat(65_537 - 14)}"}`) },
    'a large body of an unknown command': {
      body: Buffer.alloc(100_000),
      options: { type: 'no.such.command' },
    },
  }),
  ...refused('UNKNOWN_COMMAND', { 'a mistyped routing key': { routingKey: 'session.creat' } }),
  ...refused('UNSUPPORTED_VERSION', {
    'schema-version 2': { options: { headers: { 'schema-version': 2 } } },
  }),
  ...refused('UNKNOWN_OPERATOR', {
    'an operator that is not configured': { options: { headers: { operator: 'nobody' } } },
  }),
  ...refused('VALIDATION_FAILED', {
    'a report without a period': {
      routingKey: 'report.ad-hoc.fetch',
      body: {},
      pointers: ['/dateFrom', '/dateTo'],
    },
    'a fault in every place': {
      body: {},
      options: {
        messageId: 'x'.repeat(250),
        headers: { 'x-deadline': 'soon', operator: 7, 'schema-version': '1' },
      },
      pointers: [
        '/properties/message_id',
        '/userId',
        ...['x-deadline', 'operator', 'schema-version'].map((name) => `/headers/${name}`),
      ],
    },
    '27 kB of lists in lists, sealed': {
      rawHeaders: Buffer.concat([SEAL, entry('operator', raw.nested(5_400))]),
      pointers: ['/headers'],
    },
  }),
];
/** Headers with a name that every object has. They have no effect on a command. */
const INHERITED = entry('__proto__', raw.table(entry('operator', raw.text('nobody'))));
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const ISO_8601 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

describe('a message that violates the contract', () => {
  const service = serviceForAll({ behaviour: healthy(), workers: 1 });
  const witness = witnessForAll(service);

  const publish = ({ routingKey = 'session.create', body = { userId: 'p-1' }, ...bad }: BadMessage) => {
    const { options = {}, rawHeaders } = bad;
    const content = Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
    const correlationId = randomUUID();
    const { messageId = `id-${randomUUID()}` } = options;
    const properties = { messageId, correlationId, replyTo: witness.replyQueue };
    const to = { exchange: service.name('commands'), routingKey };
    const { channel } = service.caller;
    if (rawHeaders) publishRaw(channel, to, { ...properties, headers: rawHeaders }, content);
    else channel.publish(to.exchange, routingKey, content, { ...options, ...properties });
    return { content, correlationId, messageId, routingKey, type: options.type ?? routingKey };
  };

  it.each(BAD_MESSAGES)('$code: $name', async (bad) => {
    const { content, correlationId, messageId, routingKey, type } = publish(bad);
    await witness.refused(correlationId);
    const isAnswered = (all: Testimony) => all.replies.length > 0;
    const { replies, deadLetters, events } = await witness.until('it is answered', isAnswered, correlationId);
    const id = messageId.length > 100 ? expect.stringMatching(UUID) : messageId;

    const [reply, event, deadLetter] = [replies[0], events[0], deadLetters[0]];
    const body = JSON.parse(String(reply?.content)) as Record<string, unknown>;
    const { message: _, violations, details, ...rest } = body;
    expect(rest).toEqual({
      code: bad.code,
      category: 'invalid',
      retryable: false,
      attempts: 0,
      command: { id, type },
      occurredAt: expect.stringMatching(ISO_8601),
    });
    const pointers = ((violations ?? []) as { pointer: string }[]).map(({ pointer }) => pointer);
    expect(pointers.toSorted()).toEqual([...(bad.pointers ?? [])].toSorted());
    expect(details === undefined).toBe(bad.code !== 'MESSAGE_TOO_LARGE');
    expect(reply?.properties).toMatchObject({
      type: 'command.failed',
      messageId: expect.stringMatching(/:0$/),
      headers: { 'command-id': id, 'command-type': type, sequence: 0, final: true, 'schema-version': 1 },
    });

    expect(event?.fields.routingKey).toBe(`command.failed.${bad.code}`);
    expect(event?.content).toEqual(reply?.content);

    const isTooLarge = bad.code === 'MESSAGE_TOO_LARGE';
    const kept = isTooLarge ? content.subarray(0, 1024) : content;
    expect(deadLetter?.content.equals(kept)).toBe(true);
    const { headers, ...properties } = deadLetter?.properties ?? {};
    expect(properties).toMatchObject({
      messageId: id,
      correlationId,
      replyTo: witness.replyQueue,
      deliveryMode: 2,
    });
    expect(headers).toMatchObject({
      'x-reason': bad.code,
      'x-failed-at': expect.stringMatching(ISO_8601),
      'x-origin-queue': service.name(routingKey.startsWith('report.') ? 'reports' : 'interactive'),
      'x-deadline': expect.any(Number),
    });
    expect(JSON.parse(String(headers?.['x-failure']))).toMatchObject({ reason: expect.any(String) });
    expect(headers?.['x-origin-bytes']).toBe(isTooLarge ? content.length : undefined);
    expect(foreignHeadersOf(deadLetter!, 'x-origin-bytes')).toEqual([]);
    // If the dead letter is redriven unchanged, it must not run with the credentials of `default`.
    if (bad.rawHeaders) expect(headers?.['operator']).toBe('');
  });

  it('is announced once, and the platform is not called', () => {
    const { length } = BAD_MESSAGES;
    expect(witness.counts).toEqual({ replies: length, deadLetters: length, events: length, undelivered: 0 });
    expect(service.platform.requests).toEqual([]);
  });

  it('is not one with a header __proto__', async () => {
    const { replyQueue: replyTo, channel } = service.caller;
    const replies = service.caller.repliesTo('inherited');
    const to = { exchange: service.name('commands'), routingKey: 'session.create' };
    const properties = { correlationId: 'inherited', replyTo, headers: INHERITED };
    publishRaw(channel, to, properties, text('{"userId":"p-1"}'));
    expect(await replies).toMatchObject([{ type: 'session.created' }]);
  });

  it('does not terminate a worker or its connection', async () => {
    const { log, stderr } = service.running;
    expect(stderr).toBe('');
    expect(log.filter(({ level }) => level === 'error' || level === 'fatal')).toEqual([]);
    expect(await service.running.metric('poker_redeliveries_total')).toBe(0);
  });
});
