import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { hostilePage, largePage } from '../../libs/platform/src/answers/large-page.fixture.ts';
import { healthy, playerOf } from '../support/platform-answers.ts';
import { ServiceUnderTest } from '../support/service-under-test.ts';
import type { WorkerProcess } from '../support/worker-process.ts';

const RAKE = { dateFrom: '2026-01-01 00:00:00', dateTo: '2026-01-02 00:00:00' };
const PLATFORM_MS = 20;
const PHASE_MS = 5_000;
const BETWEEN_MS = 10;
const MOST_RATIO = 2;
const MOST_MIB = 400;
/** On a busy machine the p99 of a phase says as much of its neighbours: as many rounds may be wrong. */
const ROUNDS = 5;
/** As many as a worker reads at once by default. */
const REPORTS = 4;

describe.each([
  ['of ordinary records', largePage()],
  ['of a hostile platform', hostilePage()],
])('beside pages of 16 MiB %s', (_, page) => {
  let service: ServiceUnderTest;
  let worker: WorkerProcess;
  const players = healthy();

  beforeAll(async () => {
    service = await ServiceUnderTest.start({
      behaviour: async (request, response, socket) => {
        if (playerOf(request) === undefined) response.end(page);
        else {
          await sleep(PLATFORM_MS);
          await players(request, response, socket);
        }
      },
      variables: { REPORTS_DEADLINE_MS: '600000' },
    });
    worker = await service.worker();
  });
  afterAll(() => service?.[Symbol.asyncDispose]());

  it(`players' p99 is at most twice what it is alone, and memory stays under ${MOST_MIB} MiB`, async () => {
    // Nobody parses its pages here, where the players' latency is measured.
    const { queue } = await service.caller.channel.assertQueue('', {
      exclusive: true,
      arguments: { 'x-max-length': 1 },
    });
    const rounds: number[][] = [];
    await measure(service);
    while (
      rounds.length < ROUNDS &&
      !rounds.some(([alone = 0, beside = 0]) => beside <= MOST_RATIO * alone)
    ) {
      const alone = await measure(service);
      let areWanted = true;
      const reports = Array.from({ length: REPORTS }, async () => {
        while (areWanted) {
          const before = await worker.metric('poker_commands_total', 'type="report.rake.fetch"');
          service.caller.publish('report.rake.fetch', { ...RAKE, page: 1 }, { replyTo: queue });
          while ((await worker.metric('poker_commands_total', 'type="report.rake.fetch"')) === before)
            await sleep(50);
        }
      });
      const beside = await measure(service);
      areWanted = false;
      await Promise.all(reports);
      rounds.push([alone, beside]);
    }
    const peakMib =
      Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${worker.pid}/status`, 'utf8'))?.[1]) / 1024;
    expect(Math.min(...rounds.map(([alone = 0, beside = 0]) => beside / alone))).toBeLessThanOrEqual(
      MOST_RATIO,
    );
    expect(peakMib).toBeLessThan(MOST_MIB);
  });
});

/** The p99 of sessions that are created at a steady rate, in milliseconds. */
async function measure({ caller }: ServiceUnderTest): Promise<number> {
  const waits: Promise<number>[] = [];
  for (const endMs = performance.now() + PHASE_MS; performance.now() < endMs; await sleep(BETWEEN_MS)) {
    const startedMs = performance.now();
    const sent = caller.sendForOne('session.create', { userId: `p-${waits.length}` });
    waits.push(sent.then(() => performance.now() - startedMs));
  }
  const sorted = (await Promise.all(waits)).toSorted((a, b) => a - b);
  return Math.round(sorted[Math.floor(0.99 * sorted.length)] ?? 0);
}
