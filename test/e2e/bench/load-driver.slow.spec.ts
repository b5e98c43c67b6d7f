import { readFileSync } from 'node:fs';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { WORKER } from '../../../scripts/build/programs.ts';
import { type Contestant, CONTESTANTS, type RunningWorker } from '../../bench/contestants.ts';
import { LoadDriver } from '../../bench/driver/load-driver.ts';
import { type BenchPlatform, createWorkplace, startPlatform, type Workplace } from '../../bench/stage.ts';
import { testBrokerUrl } from '../../support/broker.ts';

const LATENCY_MS = 20;

describe('the bench', () => {
  let workplace: Workplace;
  let platform: BenchPlatform;
  const start = (contestant: Contestant): Promise<RunningWorker> =>
    contestant.start({ workplace, amqpUrl: testBrokerUrl(), platform: platform.variables, prefetch: 100 });

  beforeAll(async () => {
    workplace = await createWorkplace();
    platform = await startPlatform(LATENCY_MS);
  });

  afterAll(async () => {
    await platform[Symbol.asyncDispose]();
    await workplace[Symbol.asyncDispose]();
  });

  it.each(['bare-classic', 'nest-quorum', 'rabbitmq-client-classic', 'ours'])(
    '%s answers every command correctly and once, on a Node.js like that of a worker',
    async (name) => {
      const contestant = CONTESTANTS.find((one) => one.name === name)!;
      await using worker = await start(contestant);
      await using driver = await LoadDriver.open({ url: testBrokerUrl(), speech: worker.speech });
      const closed = await driver.closedLoop({ inFlight: 50, commands: 200 });
      const open = await driver.openLoop({ perSecond: 100, forMs: 500 });
      expect(closed).toMatchObject({ commands: 200, latenciesMs: { length: 200 } });
      expect(open).toMatchObject({ commands: 50, latenciesMs: { length: 50 } });
      expect(Math.min(...closed.latenciesMs, ...open.latenciesMs)).toBeGreaterThanOrEqual(LATENCY_MS - 1);
      expect(await driver.settle()).toEqual({
        sent: 250,
        right: 250,
        wrong: 0,
        double: 0,
        stray: 0,
        missing: 0,
      });
      const ofProcess = (what: 'cmdline' | 'environ'): string[] =>
        readFileSync(`/proc/${worker.pid}/${what}`, 'utf8').split('\0');
      expect(ofProcess('cmdline').slice(1, WORKER.flags.length + 1)).toEqual(WORKER.flags);
      for (const [variable, value] of Object.entries(WORKER.environment))
        expect(ofProcess('environ')).toContain(`${variable}=${value}`);
    },
    40_000,
  );

  it('has a platform that accepts no wrong signature', async () => {
    const url = `${platform.variables['PLATFORM_BASE_URL']}/v2/app/users/alice/session?clientId=bench`;
    const body = new URLSearchParams({ userId: 'alice' });
    const { status } = await fetch(url, { method: 'POST', body, headers: { sign: '0'.repeat(64) } });
    expect(status).toBe(400);
  });
});
