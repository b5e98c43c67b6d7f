import { randomUUID } from 'node:crypto';
import { once } from 'node:events';

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import rhea from 'rhea';
import type { Connection } from 'rhea';

import { testBrokerUrl, uniquePrefix } from '../../support/broker.ts';
import type { BusCaller } from '../../support/bus-caller.ts';
import { Gate, healthy, playerOf } from '../../support/platform-answers.ts';
import type { SandboxControl } from '../../support/sandbox-control.ts';
import { ServiceUnderTest } from '../../support/service-under-test.ts';
import { until } from '../../support/until.ts';
import { expectedProperties } from './expected-properties.ts';
import { type SandboxedService, startSandboxedService } from './sandboxed-service.ts';

/** Long enough for a busy machine to send a repeat before it expires. */
const IDEMPOTENCY_TTL_MS = 3_000;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

describe('the identity of a command', () => {
  let sandboxed: SandboxedService;
  let caller: BusCaller;
  let platform: SandboxControl;
  let id: string;
  let correlationId: string;

  beforeAll(async () => {
    sandboxed = await startSandboxedService({
      worker: { IDEMPOTENCY_TTL_MS: String(IDEMPOTENCY_TTL_MS) },
    });
    ({ caller, platform } = sandboxed);
  });

  afterAll(async () => sandboxed?.[Symbol.asyncDispose]());

  beforeEach(() => {
    id = `id-${randomUUID()}`;
    correlationId = `correlation-${randomUUID()}`;
  });

  const send = (type: string, body: object, options: object = {}) =>
    caller.sendForOne(type, body, { messageId: id, correlationId, ...options });

  it('opens the same session for the same message id, even after the reply has expired', async () => {
    const game = { player: { id: 'p-again' } };
    const first = await send('game.open', game);
    expect(first.body['sessionId']).toMatch(UUID);
    const received = await platform.received('open-game');
    const again = await until('the platform is asked again', async () => {
      const reply = await send('game.open', game);
      return (await platform.received('open-game')) > received && reply;
    });
    expect(again.body).toEqual(first.body);
    expect(again.messageId).toBe(first.messageId);

    const other = await send('game.open', game, { messageId: `other-${id}` });
    expect(other.body['sessionId']).not.toBe(first.body['sessionId']);
  });

  it("of a repeat brings the reply of the first to the repeat's own reply queue", async () => {
    const first = await send('session.create', { userId: 'p-twice' });
    const received = await platform.received('session');
    const again = await send('session.create', { userId: 'p-twice' }, { correlationId: 'elsewhere' });
    expect(again.properties).toEqual(
      expectedProperties({
        type: 'session.created',
        id,
        commandType: 'session.create',
        correlationId: 'elsewhere',
      }),
    );
    expect(again.text).toBe(first.text);
    expect(await platform.received('session')).toBe(received);
  });

  it('is generated for each delivery if there is none', async () => {
    const bare = { messageId: undefined };
    const [one, other] = [
      await send('session.create', { userId: 'p-none' }, bare),
      await send('session.create', { userId: 'p-none' }, bare),
    ];
    for (const { headers, messageId } of [one, other]) {
      expect(headers['command-id']).toMatch(UUID);
      expect(messageId).toBe(`${String(headers['command-id'])}:0`);
    }
    expect(one.headers['command-id']).not.toBe(other.headers['command-id']);
    expect(one.body['sessionId']).not.toBe(other.body['sessionId']);
  });

  it('is the default of the correlation id', async () => {
    const reply = caller.repliesTo(id);
    caller.publish('session.create', { userId: 'p-uncorrelated' }, { messageId: id });
    expect(await reply).toMatchObject([{ type: 'session.created', correlationId: id, messageId: `${id}:0` }]);
  });
});

const SESSION = { userId: 'p-1', nick: 'Ace' };
const RAKE = { dateFrom: '2026-01-01 00:00:00', dateTo: '2026-01-02 00:00:00', page: 1 };

/** Brokers of RabbitMQ 4 speak AMQP 1.0, too. */
describe('a caller that speaks AMQP 1.0', () => {
  let service: ServiceUnderTest;
  let connection: Connection;
  const replyQueue = `${uniquePrefix()}.replies`;
  const replies = new Map<string, string>();

  beforeAll(async () => {
    service = await ServiceUnderTest.start({ behaviour: healthy(1) });
    await service.worker();
    await service.caller.channel.assertQueue(replyQueue, { durable: true });
    const { hostname, port } = new URL(testBrokerUrl());
    const container = rhea.create_container();
    connection = container.connect({
      host: hostname,
      port: Number(port),
      username: 'guest',
      password: 'guest',
      reconnect: false,
    });
    await once(connection, 'connection_open');
    connection.open_receiver({ source: `/queues/${replyQueue}` });
    connection.on('message', ({ message: reply }) => {
      const body: unknown = reply?.body;
      const text = Buffer.isBuffer(body) ? body : (body as { content: Buffer }).content;
      replies.set(String(reply?.correlation_id), text.toString());
    });
  });

  afterAll(async () => {
    if (connection) {
      // Its receiver would be told that the queue is gone.
      const closed = once(connection, 'connection_close');
      connection.close();
      await closed;
    }
    await service?.caller.channel.deleteQueue(replyQueue);
    await service?.[Symbol.asyncDispose]();
  });

  /** Sends a command and gives the body of its last reply. */
  async function send(
    type: string,
    body: unknown,
    properties: object = {},
  ): Promise<Record<string, unknown>> {
    const id = randomUUID();
    const sender = connection.open_sender({ target: `/exchanges/${service.prefix}.commands/${type}` });
    await once(sender, 'sendable');
    sender.send({
      message_id: id,
      correlation_id: id,
      reply_to: `/queues/${replyQueue}`,
      body,
      ...properties,
    });
    const text = await until('there is a reply', () => replies.get(id));
    sender.close();
    return JSON.parse(text) as Record<string, unknown>;
  }

  it.each([
    ['session.create', SESSION, { userId: 'p-1' }],
    ['report.rake.fetch', RAKE, { report: 'rake' }],
  ])('is answered, if the body of its %s is bytes', async (type, data, expected) => {
    const body = rhea.message.data_section(Buffer.from(JSON.stringify(data)));
    expect(await send(type, body)).toMatchObject(expected);
  });

  it.each([
    ['a text', JSON.stringify(SESSION)],
    ['a map', SESSION],
    ['a number', 42],
    ['a list of values', rhea.message.sequence_section([SESSION])],
  ])('is told to send bytes, if its body is %s', async (_, body) => {
    expect(await send('session.create', body)).toMatchObject({
      code: 'MALFORMED_MESSAGE',
      message: expect.stringContaining('data section'),
      command: { type: 'session.create' },
    });
  });
});

const COMMANDS = 10;

/** Quorum queues of RabbitMQ 4 deliver what has a priority above 4 first. */
describe('a caller that gives its commands a priority', () => {
  const gate = new Gate();
  let service: ServiceUnderTest;

  beforeAll(async () => {
    service = await ServiceUnderTest.start({
      behaviour: gate.behind(healthy()),
      variables: { INTERACTIVE_PREFETCH: '1' },
    });
    await service.worker();
  });

  afterAll(async () => service?.[Symbol.asyncDispose]());

  it('is served after those who had waited before it', async () => {
    const { caller, platform } = service;
    const send = (name: string, priority?: number) =>
      caller.send('session.create', { userId: name }, { messageId: name, ...(priority && { priority }) });
    const first = send('first');
    await until('the worker has its first command', () => gate.held === 1);
    const ordinary = Array.from({ length: COMMANDS }, (_, index) => `ordinary-${index}`);
    const preferred = ordinary.map((_, index) => `preferred-${index}`);
    const all = [...ordinary.map((name) => send(name)), ...preferred.map((name) => send(name, 9))];
    const lane = service.name('interactive');
    await until(
      'all wait in the lane',
      async () => (await caller.channel.checkQueue(lane)).messageCount === all.length,
    );
    gate.open();
    await Promise.all([first, ...all]);
    expect(platform.requests.map(playerOf)).toEqual(['first', ...ordinary, ...preferred]);
  });
});
