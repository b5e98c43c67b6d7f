import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';

import { type BrokerNode, rabbitmqctl } from '../../scripts/broker/node.ts';
import { sandboxedForAll } from '../e2e/commands/sandboxed-service.ts';
import { testBrokerCtl } from '../support/broker.ts';
import { runCli } from '../e2e/cli/run-cli.ts';
import { brokenWords, browserForAll, lookOf } from '../support/browser.ts';
import { PrivateRedis } from '../support/private-redis.ts';
import { WAIT_TIMEOUT_MS } from '../support/until.ts';
import type { WorkerUnderTest } from '../support/worker-under-test.ts';

const SIZES = [
  ['wide', { width: 1280, height: 900 }],
  ['narrow', { width: 400, height: 800 }],
] as const;

/** A deadline shorter than the attempt timeout of five seconds. */
const HASTY_MS = 4_000;
const MINUTE_MS = 60_000;

interface Said {
  readonly level: 'attention' | 'down';
  readonly what: RegExp;
  readonly why: RegExp;
  readonly whoActs: RegExp;
  readonly line: string;
  readonly printed: RegExp;
}

const browser = browserForAll(SIZES[0][1]);
let redis: PrivateRedis;
const sandboxed = sandboxedForAll(async (stack) => {
  redis = stack.use(await PrivateRedis.start());
  return { worker: { REDIS_URL: redis.url, CIRCUIT_MINIMUM_CALLS: '5', PLATFORM_MAX_ATTEMPTS: '2' } };
});
let worker: WorkerUnderTest;

beforeAll(() => void ({ worker } = sandboxed));
/** Starts a new worker for each incident, so that it has no record of earlier ones. */
afterEach(async () => {
  await sandboxed.platform.clearFaults();
  worker.kill('SIGTERM');
  await worker.ended();
  worker = await sandboxed.service.worker();
});

/** Sends the given number of commands of each type at once. */
async function play(counts: Readonly<Record<string, number>>, options: object = {}): Promise<void> {
  const sent = Object.entries(counts).flatMap(([type, count]) =>
    Array.from({ length: count }, (_, n) => {
      const data = type === 'game.open' ? { player: { id: `player-${n}` } } : { userId: `player-${n}` };
      return sandboxed.caller.send(type, data, options);
    }),
  );
  await Promise.all(sent);
}

async function look(): Promise<Page> {
  const { page } = await browser.visit(`${await worker.url()}/console`);
  return page;
}

/** Checks the status sentence of the page at both widths. */
async function expectFirst(page: Page, { level, what, why, whoActs, line, printed }: Said): Promise<void> {
  const verdict = page.locator('#verdict');
  await verdict.locator('h2').filter({ hasText: what }).waitFor({ timeout: WAIT_TIMEOUT_MS });
  await verdict.locator('dl').first().locator('dd').getByText(why).waitFor({ timeout: WAIT_TIMEOUT_MS });
  expect(await verdict.getAttribute('class')).toBe(level);
  const facts = verdict.locator('dl').first();
  expect(await facts.locator('dt').allTextContents()).toEqual(
    expect.arrayContaining(['Since', 'Why', 'Who acts', 'Run']),
  );
  expect(await facts.textContent()).toMatch(whoActs);
  expect(await facts.locator('.copyable').textContent()).toBe(line);
  expect(await outputOf(line)).toMatch(printed);
  for (const [width, size] of SIZES) {
    await page.setViewportSize(size);
    expect({ width, overflow: (await lookOf(page)).overflow }).toEqual({ width, overflow: 0 });
    expect({ width, broken: await brokenWords(page) }).toEqual({ width, broken: [] });
    const box = await facts.boundingBox();
    expect((box?.y ?? 0) + (box?.height ?? Infinity)).toBeLessThan(size.height);
  }
}

/** Runs the suggested command and returns its output. */
async function outputOf(line: string): Promise<string> {
  const [program, ...args] = line.split(' ');
  const variables = { ...sandboxed.service.variables, AMQP_URL: sandboxed.service.url };
  const node = JSON.parse(process.env['TEST_BROKER_NODE'] ?? '{}') as BrokerNode;
  return program === 'poker-bridge'
    ? (await runCli(args, { variables })).stdout
    : rabbitmqctl(node, args, program);
}

describe('the console in an incident', () => {
  it('names the only failing type, although most commands succeed', async () => {
    const page = await look();
    await sandboxed.platform.fault({ kind: 'status', status: 503, operation: 'open-game' });
    await play({ 'game.open': 10, 'session.create': 100 });
    await play({ 'game.open': 20 });
    await expectFirst(page, {
      level: 'down',
      what: /^✕game\.open fails: 30 of 30 in the last minute$/,
      why: /^the platform answers HTTP 503 \(\d+ [A-Z_]+, \d+ [A-Z_]+\)$/,
      whoActs: /the people who run the platform/,
      line: 'poker-bridge doctor',
      printed: /^fail +platform default game\.open: .*503/m,
    });
    const operator = page.locator('#operators tr').filter({ hasText: 'default' });
    expect(await operator.textContent()).toMatch(
      /(open|half-open)since \d\d:\d\d:\d\d UTC, \d+ s ago, HTTP 503/,
    );
    const [worst] = await page.locator('#causes li').allTextContents();
    expect(worst).toMatch(/CIRCUIT_OPEN \d+ × last: [0-9a-f-]{36}: HTTP 503 · poker-bridge trace --id /);
    const plot = page.getByRole('figure').filter({ hasText: 'game.open' });
    await plot.getByText(/^circuit opened \(default\) at/).waitFor();
    expect(await plot.locator('rect[data-state=unavailable]').count()).toBeGreaterThan(0);
    expect(await plot.locator('.bars .lost').count()).toBe(1);
    const changed = worker.log.find(({ msg, state }) => msg === 'circuit changed' && state === 'open');
    expect(changed).toMatchObject({ operation: 'game.open', cause: 'HTTP 503' });
  });

  it('reports that a platform hangs, although the deadline of its caller cancels each call', async () => {
    const page = await look();
    await sandboxed.platform.fault({ kind: 'latency', fixedMs: 60_000, operation: 'open-game' });
    const startedAtMs = Date.now();
    await play({ 'game.open': 8 }, { headers: { 'x-deadline': startedAtMs + HASTY_MS } });
    await play({ 'game.open': 12 });
    await expectFirst(page, {
      level: 'down',
      what: /^✕game\.open fails: 20 of 20 in the last minute$/,
      why: /^the platform does not answer: timeout after [34]\.\d s \(\d+ [A-Z_]+, \d+ [A-Z_]+\)$/,
      whoActs: /the people who run the platform/,
      line: 'poker-bridge doctor',
      printed: /^fail +platform default game\.open: .*the platform does not answer: timeout/m,
    });
    expect(Date.now() - startedAtMs).toBeLessThan(MINUTE_MS);
    const { status, circuits } = await worker.health();
    expect([status, circuits]).toEqual([200, expect.objectContaining({ status: 'degraded' })]);
    expect(circuits.reason).toMatch(
      /^game\.open of default: the platform does not answer: timeout, for \d+ s$/,
    );
    const expired = worker.log.find(({ outcome }) => outcome === 'COMMAND_EXPIRED');
    const traced = await runCli(['trace', '--id', String(expired?.['id'])], { input: worker.stdout });
    expect(traced.stdout).toMatch(/the platform does not answer: timeout after [34]\.\d s/);
  });

  it('reports that the platform is down, in one sentence for both types', async () => {
    const page = await look();
    await sandboxed.platform.fault({ kind: 'reset-before' });
    await play({ 'game.open': 20, 'session.create': 20 });
    await expectFirst(page, {
      level: 'down',
      what: /^✕session\.create and game\.open fail: 40 of 40 in the last minute$/,
      why: /^the platform does not answer: reset \(/,
      whoActs: /the people who run the platform/,
      line: 'poker-bridge doctor',
      printed: /, 4 at fault$/m,
    });
  });

  it('reports under a memory alarm that RabbitMQ accepts no messages, and since when', async () => {
    const page = await look();
    // No command is in flight and none can arrive, because the alarm also blocks the callers.
    await page.locator('#queues').getByText('.interactive').waitFor({ timeout: WAIT_TIMEOUT_MS });
    await testBrokerCtl('set_vm_memory_high_watermark', '0.00001');
    try {
      await expectFirst(page, {
        level: 'down',
        what: /^✕RabbitMQ accepts no messages, so no reply leaves$/,
        why: /^it has an alarm: low on memory$/,
        whoActs: /the people who run RabbitMQ/,
        line: 'rabbitmq-diagnostics alarms',
        printed: /memory/i,
      });
      expect(await page.locator('#lanes').textContent()).toContain('blocked');
      expect(await page.locator('#verdict dl').textContent()).toMatch(/Since\d\d:\d\d:\d\d UTC, \d+ s ago/);
      expect(await page.getByRole('row', { name: /\.interactive/ }).textContent()).toMatch(
        /interactive0[12]$/,
      );
      expect((await worker.get('/health/ready')).status).toBe(200);
      expect((await worker.health()).bus).toMatchObject({
        status: 'degraded',
        reason: 'RabbitMQ accepts no messages, so no reply leaves: low on memory',
        since: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
        whoActs: expect.stringContaining('the people who run RabbitMQ'),
      });
    } finally {
      await testBrokerCtl('set_vm_memory_high_watermark', '0.6');
    }
    await page.locator('#verdict.well').waitFor({ timeout: WAIT_TIMEOUT_MS });
  });

  it('reports that Redis is gone, and shows dead letters of all workers with the reason of each', async () => {
    const page = await look();
    await sandboxed.caller.send('game.open', { player: { id: 'ada', nick: 7 } }, { messageId: 'bad-1' });
    await redis.kill();
    await expectFirst(page, {
      level: 'attention',
      what: /^!Redis is away: each worker recognizes only its own repeats$/,
      why: /^connect ECONNREFUSED /,
      whoActs: /the people who run Redis/,
      line: 'poker-bridge doctor',
      printed: /^fail +Redis /m,
    });
    const other = await sandboxed.service.worker();
    const { page: elsewhere } = await browser.visit(`${await other.url()}/console`);
    const letters = elsewhere.locator('#causes li').filter({ hasText: 'dead letters: VALIDATION_FAILED' });
    await letters.getByText('1 ×').waitFor({ timeout: WAIT_TIMEOUT_MS });
    expect(await letters.textContent()).toMatch(
      /poker-bridge dead-letters list --reason VALIDATION_FAILED.*game\.open last: bad-1.*\/player\/nick/,
    );
    expect(await elsewhere.getByText(`process ${other.pid}`).count()).toBeGreaterThan(0);
    expect(await elsewhere.getByRole('row', { name: /\.interactive/ }).textContent()).toMatch(
      /interactive0[2-4]$/,
    );
  });

  // Must be the last test: its replies stay parked, and later workers would report them first.
  it('names the full reply queue and the last reply that waits for it', async () => {
    const page = await look();
    const queue = 'shop.replies';
    const options = { exclusive: true, arguments: { 'x-max-length': 1, 'x-overflow': 'reject-publish' } };
    await sandboxed.caller.channel.assertQueue(queue, options);
    for (let n = 0; n < 4; n += 1)
      sandboxed.caller.publish('session.create', { userId: 'a' }, { replyTo: queue, messageId: `full-${n}` });
    await expectFirst(page, {
      level: 'attention',
      what: new RegExp(`^!3 replies wait for ${queue}$`),
      why: /^the queue is full: its caller does not read it \(REPLY_QUEUE_FULL\)$/,
      whoActs: /the caller that reads the queue/,
      line: 'poker-bridge replies list --reason REPLY_QUEUE_FULL',
      printed: /^3 parked replies in .*shop\.replies/s,
    });
    expect(await page.locator('#causes').textContent()).toMatch(/3 replies wait for .* last: full-\d/);
    await sandboxed.caller.drain(queue);
    await page.locator('#verdict h2').filter({ hasText: '2 replies wait' }).waitFor();
  });
});
