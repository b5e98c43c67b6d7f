import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, describe, expect, it } from '@jest/globals';
import type { Channel } from 'amqplib';

import { listenOnLoopback } from '../../support/loopback-server.ts';
import { healthy } from '../../support/platform-answers.ts';
import { serviceForAll, serviceForEach } from '../../support/suite-service.ts';
import { until } from '../../support/until.ts';
import { WorkerUnderTest } from '../../support/worker-under-test.ts';

const EXIT_CONFIG = 78;
/** Part of every value. An error message that contains it reveals a value. */
const CANARY = 'c4n4ry';

describe('a worker whose broker is unavailable', () => {
  const service = serviceForAll({ behaviour: healthy() });

  afterEach(async () => {
    service.proxy.resume();
    if (!service.proxy.isOpen) await service.proxy.open();
  });

  it('is alive but not ready, reports the reason, and serves once the broker is available', async () => {
    service.proxy.refuse();
    const worker = service.start();
    await until('it has tried', () => worker.stdout.includes('ECONNREFUSED'));
    expect(await worker.get('/health/live')).toMatchObject({ status: 200 });
    expect(await worker.get('/health/ready')).toMatchObject({ status: 503 });
    expect(await worker.health()).toMatchObject({
      status: 503,
      bus: { status: 'down', lastError: expect.stringContaining('ECONNREFUSED') },
    });
    expect(await worker.metric('poker_broker_connected')).toBe(0);
    expect(worker.log).toContainEqual(
      expect.objectContaining({ level: 'info', msg: expect.stringMatching(/^no LOG_SUBJECT_KEY/) }),
    );

    await service.proxy.open();
    await worker.ready();
    expect(await worker.metric('poker_broker_connected')).toBe(1);
    await service.expectServed();
  });

  it('stops immediately with exit code 0', async () => {
    service.proxy.refuse();
    const worker = service.start();
    await until('it has tried', () => worker.stdout.includes('ECONNREFUSED'));
    worker.kill('SIGTERM');
    expect(await worker.ended()).toEqual({ code: 0, signal: null });
  });

  it('stops even if the broker accepts connections and never answers', async () => {
    service.proxy.stall();
    const worker = service.start();
    const before = service.proxy.accepted;
    await until('it has connected', () => service.proxy.accepted > before);
    expect(await worker.get('/health/live')).toMatchObject({ status: 200 });
    expect(await worker.get('/health/ready')).toMatchObject({ status: 503 });
    worker.kill('SIGTERM');
    expect(await worker.ended()).toEqual({ code: 0, signal: null });
  });

  it('keeps waiting if the broker refuses its password, and does not log the password', async () => {
    const url = new URL(service.url);
    url.password = CANARY;
    const worker = service.start({ AMQP_URL: url.href, LOG_LEVEL: 'trace' });
    await until('it was refused', () => worker.stdout.includes('ACCESS_REFUSED'));
    expect(await worker.health()).toMatchObject({
      status: 503,
      bus: { lastError: expect.stringContaining('ACCESS_REFUSED') },
    });
    expect((await worker.get('/health')).body + worker.stdout + worker.stderr).not.toContain(CANARY);
  });
});

describe('a worker that cannot listen', () => {
  const service = serviceForAll({ behaviour: healthy() });

  it('exits and names the variable, even if Redis and the broker are unavailable', async () => {
    const other = createServer();
    const port = await listenOnLoopback(other);
    service.proxy.refuse();
    try {
      const worker = service.start({ HTTP_PORT: String(port), REDIS_URL: 'redis://127.0.0.1:1' });
      expect(await worker.ended()).toEqual({ code: EXIT_CONFIG, signal: null });
      expect(worker.stderr).toMatch(/^.*HTTP_PORT.*EADDRINUSE.*\n$/);
    } finally {
      other.close();
    }
  });
});

describe('invalid settings', () => {
  it('are all reported at once, by name and never with a value; an empty variable counts as unset', async () => {
    const wrong = {
      AMQP_URL: `http://${CANARY}:${CANARY}@127.0.0.1`,
      LANES: `interactive,${CANARY}`,
      PLATFORM_BASE_URL: `https://user:${CANARY}@api.example`,
      PLATFORM_API_URL: '',
      PLATFORM_SECRET_KEY_FILE: join(tmpdir(), CANARY, 'nowhere'),
      HTTP_PORT: CANARY,
    };
    await using worker = new WorkerUnderTest({ PLATFORM_CLIENT_ID: 'op1', ...wrong });
    expect(await worker.ended()).toEqual({ code: EXIT_CONFIG, signal: null });
    const names = [...worker.stderr.matchAll(/^([A-Z0-9_]+): \S.*\n/gm)].map(([, name]) => name);
    // In the order of the settings.
    expect(names).toEqual(Object.keys(wrong));
    expect(worker.stdout).toBe('');
    expect(worker.stderr).not.toContain(CANARY);
  });
});

describe('settings as editors and clusters leave them', () => {
  const service = serviceForAll({ behaviour: healthy() });

  it('do not prevent the start of a worker, which warns about them', async () => {
    const injected = { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc', OTEL_BSP_SCHEDULE_DELAY: '5s' };
    const worker = await service.worker({ ...injected, PLATFORM_SECRET_KEY: `${CANARY} ` });
    const warned = worker.log.map(({ msg }) => String(msg)).filter((msg) => /^(OTEL|PLATFORM)_/.test(msg));
    expect(warned).toEqual([
      expect.stringMatching(/^OTEL_EXPORTER_OTLP_PROTOCOL .*traces are off/),
      expect.stringMatching(/^OTEL_BSP_SCHEDULE_DELAY /),
      expect.stringMatching(/^PLATFORM_SECRET_KEY /),
    ]);
    expect(worker.stdout).not.toContain(CANARY);
  });
});

describe('a topology that differs from the one on the broker', () => {
  const service = serviceForEach({ behaviour: healthy() });

  const otherTtl = { durable: true, arguments: { 'x-queue-type': 'quorum', 'x-message-ttl': 1000 } };

  it.each<[string, string, (channel: Channel, name: string) => Promise<unknown>]>([
    ['a queue with another argument', 'dead-letters', (channel, name) => channel.assertQueue(name, otherTtl)],
    ['an exchange', 'events', (channel, name) => channel.assertExchange(name, 'fanout', { durable: true })],
  ])('is reported in one line for %s', async (_, rest, declare) => {
    const name = service.name(rest);
    await declare(service.caller.channel, name);
    const worker = service.start();
    expect(await worker.ended()).toEqual({ code: EXIT_CONFIG, signal: null });
    expect(worker.stderr).toMatch(/^[^\n]+\n$/);
    expect(worker.stderr).toContain(name);
    expect(worker.stderr).toContain('Empty and delete it. Or choose another AMQP_PREFIX.');
    expect(worker.stderr).not.toContain(new URL(service.url).password);
  });
});
