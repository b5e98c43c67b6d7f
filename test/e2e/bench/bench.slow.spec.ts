import { readFileSync } from 'node:fs';

import { expect, it } from '@jest/globals';

import { WORKER } from '../../../scripts/build/programs.ts';
import { CONTESTANTS } from '../../../lab/bench/contestants.ts';
import { openLoadDriver } from '../../../lab/bench/driver/load-driver.ts';
import { compareRates } from '../../../lab/bench/reports/compare-rates.ts';
import { startPlatform } from '../../../lab/bench/stage.ts';
import { testBrokerUrl } from '../../support/broker.ts';

const LATENCY_MS = 20;

it.each(['bare', 'nest', 'equal', 'ours'])(
  '%s answers every benchmark command correctly and once, on Node.js with the flags of a worker',
  async (name) => {
    const contestant = CONTESTANTS.find((one) => one.name === name)!;
    const amqpUrl = testBrokerUrl();
    await using platform = await startPlatform(LATENCY_MS);
    await using worker = await contestant.start({ amqpUrl, platform: platform.variables, prefetch: 100 });
    await using driver = await openLoadDriver({ url: amqpUrl, inbox: worker.inbox });
    const closed = await driver.closedLoop({ inFlight: 50, commands: 200 });
    const open = await driver.openLoop({ perSecond: 100, forMs: 500 });
    expect(closed).toMatchObject({ commands: 200, latenciesMs: { length: 200 } });
    expect(open).toMatchObject({ commands: 50, latenciesMs: { length: 50 } });
    expect(Math.min(...closed.latenciesMs, ...open.latenciesMs)).toBeGreaterThanOrEqual(LATENCY_MS - 1);
    expect(await driver.settle()).toEqual({ sent: 250, right: 250, faults: 0 });
    const line = readFileSync(`/proc/${worker.pid}/cmdline`, 'utf8').split('\0');
    expect(line).toEqual(expect.arrayContaining([...WORKER.flags]));
  },
);

it('the benchmark reads every report page once, alternating between the bare loop and a worker', async () => {
  const rates = await compareRates(testBrokerUrl(), 1, 2_000);
  expect(rates).toEqual({ ours: [expect.any(Number)], bare: [expect.any(Number)], faults: 0 });
});
