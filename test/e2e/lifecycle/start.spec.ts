import { hash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';

import { SETTINGS } from '#settings';

import { root } from '../../../scripts/root.ts';
import { healthy } from '../../support/platform-answers.ts';
import { answerJson, sessionDocument } from '../../support/platform-stub.ts';
import { PrivateRedis } from '../../../scripts/private-redis.ts';
import { ServiceUnderTest } from '../../support/service-under-test.ts';
import { until } from '../../support/until.ts';
import { CANARY, EXIT_CONFIG, refusalOf, refusing } from './refusal-of.ts';

describe('start', () => {
  describe('a worker whose broker is away', () => {
    let service: ServiceUnderTest;

    beforeAll(async () => {
      service = await ServiceUnderTest.start({ behaviour: healthy() });
    });

    afterAll(() => service[Symbol.asyncDispose]());

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
    let service: ServiceUnderTest;
    let redis: PrivateRedis;

    beforeAll(async () => {
      service = await ServiceUnderTest.start({ behaviour: healthy() });
      redis = await PrivateRedis.start();
    });

    afterAll(async () => {
      await service[Symbol.asyncDispose]();
      await redis[Symbol.asyncDispose]();
    });

    it.each([
      ['without Redis', () => ''],
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
});

describe('settings', () => {
  /** Every setting that is a number, or a list of numbers; those of OpenTelemetry are read only while it is on. */
  const NUMBERS = Object.entries(SETTINGS)
    .filter(([name, { read }]) => !name.startsWith('OTEL_') && isNumber(read))
    .map(([name]) => name);
  const BAD_NUMBERS = ['-1', '1.5', '1e3', '0x10', '999999999999'];

  function isNumber(read: (text: string) => unknown): boolean {
    try {
      read('1.5');
    } catch (error) {
      return /must be an integer/.test((error as Error).message);
    }
    return false;
  }

  const folder = mkdtempSync(join(tmpdir(), 'worker-settings-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  function fileWith(content: string): string {
    const path = join(folder, `${CANARY}-${Math.random().toString(36).slice(2)}`);
    writeFileSync(path, content);
    return path;
  }

  describe('settings that cannot be used', () => {
    it('are all reported at once if they are missing, and an empty variable counts as unset', async () => {
      const missing = { PLATFORM_BASE_URL: '', PLATFORM_API_URL: '', PLATFORM_CLIENT_ID: '', LANES: '' };
      expect(await refusalOf(missing)).toMatchObject(
        refusing('PLATFORM_API_URL', 'PLATFORM_BASE_URL', 'PLATFORM_CLIENT_ID'),
      );
    });

    it('are all reported at once by name, never with a value', async () => {
      const words = {
        AMQP_URL: `http://${CANARY}:${CANARY}@127.0.0.1`,
        AMQP_PREFIX: `amq.${CANARY}`,
        LANES: `interactive,${CANARY}`,
        PLATFORM_BASE_URL: `https://user:${CANARY}@api.example`,
        PLATFORM_API_URL: `${CANARY}:no-url`,
        CURRENCY_PRECISIONS: `USD=2,${CANARY}`,
        EVENTS: CANARY,
        LOG_LEVEL: CANARY,
        SIGNATURE_SCALARS: CANARY,
        SIGNATURE_OPEN_GAME_CLIENT: CANARY,
        SIGNATURE_JSON_STRINGS: CANARY,
        SIGNATURE_SCHEME_V3: CANARY,
        RAKE_PARAMETERS_IN: CANARY,
        REDIS_URL: `ftp://:${CANARY}@127.0.0.1`,
      };
      const numbers = Object.fromEntries(NUMBERS.map((name) => [name, CANARY]));
      expect(await refusalOf({ ...words, ...numbers })).toMatchObject(
        refusing(...Object.keys(words), ...NUMBERS),
      );
    });

    it('include numbers that are negative, fractional or far too large', async () => {
      const numbers = NUMBERS.map((name, index) => [name, BAD_NUMBERS[index % BAD_NUMBERS.length]]);
      expect(await refusalOf(Object.fromEntries(numbers))).toMatchObject(refusing(...NUMBERS));
    });

    it('are addresses that would be used in cleartext', async () => {
      const AMQP_URL = `amqp://u:${CANARY}@broker.example.com`;
      expect(await refusalOf({ AMQP_URL })).toMatchObject(refusing('AMQP_URL'));
    });

    it('include secrets given twice, or in a file that cannot be read or is empty', async () => {
      const twice = {
        AMQP_URL: `amqp://u:${CANARY}@127.0.0.1`,
        AMQP_URL_FILE: fileWith(`amqp://u:${CANARY}@127.0.0.1`),
        PLATFORM_SECRET_KEY_FILE: join(folder, CANARY, 'nowhere'),
      };
      expect(await refusalOf(twice)).toMatchObject(refusing('AMQP_URL', 'PLATFORM_SECRET_KEY_FILE'));
      expect(await refusalOf({ PLATFORM_SECRET_KEY_FILE: fileWith('\n') })).toMatchObject(
        refusing('PLATFORM_SECRET_KEY_FILE'),
      );
    });
  });

  describe('secrets in files', () => {
    it('count like variables', async () => {
      await using service = await ServiceUnderTest.start({
        behaviour: (_request, response) => answerJson(response, 200, sessionDocument('p-1')),
      });
      const { AMQP_URL, ...variables } = service.variables;
      await service.worker({
        ...variables,
        AMQP_URL: '',
        AMQP_URL_FILE: fileWith(`${AMQP_URL}\n`),
        PLATFORM_SECRET_KEY: '',
        PLATFORM_SECRET_KEY_FILE: fileWith('s3cret\r\n'),
      });
      const [reply] = await service.caller.send('session.create', { userId: 'p-1' });
      expect(reply?.type).toBe('session.created');
      expect(service.platform.requests[0]?.headers['sign']).toBe(hash('sha256', 'p-1s3cret'));
    });
  });
});
