import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';

import { type Caller, CallerError, createCaller } from '#caller';

import { read } from '../docs/markdown.ts';
import { atRate } from '../support/interactive-load.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';
import { ComposeStack, writePasswords } from './compose-stack.ts';

const PER_SECOND = 20;
/** Replies to wait for after a service is back, before the next one is stopped. */
const ANSWERS_BETWEEN = 40;
const MINUTE_MS = 60_000;
/** Longer than the outage of any service, also on a busy machine. */
const DEADLINE_MS = 5 * MINUTE_MS;
const PAUSE_MS = 1_000;

jest.setTimeout(10 * MINUTE_MS);

/** These tests depend on their order. They need a Docker engine: `npm run test:compose`. */
describe('docker-compose.yml on an engine', () => {
  let stack: ComposeStack;
  let caller: Caller;
  const load = { sent: 0, right: 0, wrong: [] as string[], calls: [] as Promise<void>[] };
  const ending = new AbortController();
  let sending: Promise<void>;

  beforeAll(async () => {
    stack = await ComposeStack.create();
    const password = read('deploy/rabbitmq/secrets/rabbitmq-caller').trim();
    caller = callerWith(password);
  });
  afterAll(async () => {
    await caller?.close();
    await stack?.[Symbol.asyncDispose]();
  });

  const callerWith = (password: string): Caller =>
    createCaller({ url: `amqp://caller:${password}@${stack.port('RABBITMQ_PORT')}/`, name: 'caller' });

  /** Sends a command again under the same id, because an outage outlasts the caller's retry budget. */
  const ask = async (userId: string, untilMs = performance.now() + DEADLINE_MS): Promise<void> => {
    const deadlineMs = Math.max(1, untilMs - performance.now());
    try {
      const session = await caller.createSession({ userId }, { id: userId, deadlineMs });
      if (session.userId === userId) load.right += 1;
      else load.wrong.push(`${userId}: the session of ${session.userId}`);
    } catch (error) {
      const { code, retryable } = error instanceof CallerError ? error : { code: String(error) };
      if (!retryable || deadlineMs < PAUSE_MS) return void load.wrong.push(`${userId}: ${code}`);
      await sleep(PAUSE_MS);
      await ask(userId, untilMs);
    }
  };

  const prometheus = async (query: string): Promise<number> => {
    const url = `http://${stack.port('PROMETHEUS_PORT')}/api/v1/query?query=${encodeURIComponent(query)}`;
    const { data } = (await (await fetch(url)).json()) as { data: { result: { value: [number, string] }[] } };
    return Number(data.result[0]?.value[1] ?? 0);
  };

  it('builds the images', () => stack.build());

  it('becomes healthy with two workers', () => stack.up());

  it('builds an image without sources, source maps and dangling links', async () => {
    const find =
      'find /app/dist /app/node_modules/@poker-bridge -name "*.map" -o -name "*.ts" -o -name "*.py"; ';
    expect(await stack.exec('worker', 'sh', '-c', `${find} find /app -xtype l`)).toBe('');
  });

  it('builds an image with the command line', async () => {
    expect(await stack.exec('worker', 'poker-bridge', 'doctor')).toMatch(/topology/);
  });

  it('answers a command', async () => {
    await caller.ready();
    await expect(caller.createSession({ userId: 'ada' })).resolves.toMatchObject({ userId: 'ada' });
    const send = () => load.calls.push(ask(`player-${(load.sent += 1)}`));
    sending = atRate(PER_SECOND, () => ending.signal.aborted, send);
  });

  it.each([
    ['stop', 'worker', 0],
    ['kill', 'worker', 137],
    ['stop', 'sandbox', 0],
    ['kill', 'sandbox', 137],
    ['stop', 'redis', 0],
    ['kill', 'redis', 137],
    ['stop', 'rabbitmq', 0],
    ['kill', 'rabbitmq', 137],
    ['stop', 'prometheus', 0],
    ['kill', 'prometheus', 137],
    ['kill', 'grafana', 137],
  ] as const)('answers all after %s of %s', async (how, service, code) => {
    expect(await stack.end(how, service)).toBe(code);
    await stack.up();
    const before = load.right;
    await until('it answers again', () => load.right > before + ANSWERS_BETWEEN, MINUTE_MS);
    expect(load.wrong).toEqual([]);
  });

  it('answers each command of the load', async () => {
    ending.abort();
    await sending;
    await Promise.all(load.calls);
    expect([load.right, load.wrong]).toEqual([load.sent, []]);
    console.log(`${load.right} of ${load.sent} commands were answered`);
  });

  it('gives Prometheus the series that alerts need', async () => {
    const scraped = async () => (await prometheus('sum(poker_command_wait_seconds_count)')) > 0;
    await until('waits are scraped', scraped, MINUTE_MS);
    expect(await prometheus('count(up{job="poker-bridge"} == 1)')).toBe(2);
    const queue = 'rabbitmq_detailed_queue_messages_ready{queue="poker.interactive"}';
    await until('queues are scraped', async () => (await prometheus(`count(${queue})`)) === 1, MINUTE_MS);
    expect(await prometheus('count(rabbitmq_alarms_memory_used_watermark == 0)')).toBe(1);
  });

  it('answers with other passwords', async () => {
    using folder = temporaryFolder();
    await stack.up({ RABBITMQ_SECRETS: writePasswords(folder) });
    await caller.close();
    caller = callerWith('another-caller');
    await expect(caller.createSession({ userId: 'eve' })).resolves.toMatchObject({ userId: 'eve' });
  });

  it('leaves nothing behind', async () => {
    await caller.close();
    await stack[Symbol.asyncDispose]();
    expect(await stack.leftovers()).toEqual([]);
  });
});
