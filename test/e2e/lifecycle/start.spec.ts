import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';

import { root } from '../../../scripts/root.ts';
import { healthy } from '../../support/platform-answers.ts';
import { PrivateRedis } from '../../../scripts/private-redis.ts';
import { serviceForAll } from '../../support/suite-service.ts';
import { until } from '../../support/until.ts';
import { CANARY, EXIT_CONFIG, refusalOf, refusing } from './refusal-of.ts';

describe('a worker whose broker is away', () => {
  const service = serviceForAll({ behaviour: healthy() });

  afterEach(async () => {
    service.proxy.resume();
    if (!service.proxy.isOpen) await service.proxy.open();
  });

  it('is alive, is not ready, says why, and serves once the broker is up', async () => {
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
    const [reply] = await service.caller.send('session.create', { userId: 'p-1' });
    expect(reply?.type).toBe('session.created');
  });

  it('stops at once, and with 0', async () => {
    service.proxy.refuse();
    const worker = service.start();
    await until('it has tried', () => worker.stdout.includes('ECONNREFUSED'));
    worker.kill('SIGTERM');
    expect(await worker.ended()).toEqual({ code: 0, signal: null });
    // What was compiled, for the next start.
    expect(readdirSync(join(root, 'node_modules/.cache/poker-bridge'))).not.toHaveLength(0);
  });

  it('stops even while a broker accepts and never answers', async () => {
    service.proxy.stall();
    const worker = service.start();
    const before = service.proxy.accepted;
    await until('it has connected', () => service.proxy.accepted > before);
    expect(await worker.get('/health/live')).toMatchObject({ status: 200 });
    expect(await worker.get('/health/ready')).toMatchObject({ status: 503 });
    worker.kill('SIGTERM');
    expect(await worker.ended()).toEqual({ code: 0, signal: null });
  });

  it('uses the next node of the cluster', async () => {
    const url = service.proxy.through(service.url);
    const worker = await service.worker({ AMQP_URL: `amqp://guest:guest@127.0.0.1:1,${url}` });
    expect((await worker.health()).bus.status).toBe('up');
  });

  it('waits if the broker refuses its password, and does not log it', async () => {
    const url = new URL(service.url);
    url.password = 'c4n4ry';
    const worker = service.start({ AMQP_URL: url.href, LOG_LEVEL: 'trace' });
    await until('it was refused', () => worker.stdout.includes('ACCESS_REFUSED'));
    expect(await worker.health()).toMatchObject({
      status: 503,
      bus: { lastError: expect.stringContaining('ACCESS_REFUSED') },
    });
    expect((await worker.get('/health')).body + worker.stdout + worker.stderr).not.toContain('c4n4ry');
  });
});

describe('a worker that cannot listen', () => {
  const service = serviceForAll({ behaviour: healthy() });
  let redis: PrivateRedis;

  beforeAll(async () => {
    redis = await PrivateRedis.start();
  });
  afterAll(async () => {
    await redis[Symbol.asyncDispose]();
  });

  it.each([
    ['beside a Redis that answers', () => redis.url],
    ['while Redis and the broker are away', () => (service.proxy.refuse(), 'redis://127.0.0.1:1')],
  ])('refuses to start if its port is taken, and names the variable, %s', async (_, redisUrl) => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    try {
      const worker = service.start({ HTTP_PORT: String(port), REDIS_URL: redisUrl() });
      expect(await worker.ended()).toEqual({ code: EXIT_CONFIG, signal: null });
      expect(worker.stderr).toMatch(/^.*HTTP_PORT.*EADDRINUSE.*\n$/);
    } finally {
      other.close();
    }
  });

  it('refuses to start if its address belongs to another machine', async () => {
    const worker = service.start({ HTTP_HOST: '192.0.2.1' });
    expect(await worker.ended()).toEqual({ code: EXIT_CONFIG, signal: null });
    expect(worker.stderr).toMatch(/^.*HTTP_HOST.*\n$/);
    expect(worker.stderr).not.toContain('192.0.2.1');
  });
});

describe('settings that cannot be used', () => {
  it('are all reported at once if they are missing, and an empty variable counts as unset', async () => {
    const missing = { PLATFORM_BASE_URL: '', PLATFORM_API_URL: '', PLATFORM_CLIENT_ID: '', LANES: '' };
    expect(await refusalOf(missing)).toMatchObject(
      refusing('PLATFORM_API_URL', 'PLATFORM_BASE_URL', 'PLATFORM_CLIENT_ID'),
    );
  });

  it('are all reported at once by name, never with a value', async () => {
    const wrong = {
      AMQP_URL: `http://${CANARY}:${CANARY}@127.0.0.1`,
      LANES: `interactive,${CANARY}`,
      PLATFORM_BASE_URL: `https://user:${CANARY}@api.example`,
      PLATFORM_SECRET_KEY_FILE: join(tmpdir(), CANARY, 'nowhere'),
      HTTP_PORT: CANARY,
    };
    expect(await refusalOf(wrong)).toMatchObject(refusing(...Object.keys(wrong)));
  });

  it('are addresses that would be used in cleartext', async () => {
    const AMQP_URL = `amqp://u:${CANARY}@broker.example.com`;
    expect(await refusalOf({ AMQP_URL })).toMatchObject(refusing('AMQP_URL'));
  });
});
