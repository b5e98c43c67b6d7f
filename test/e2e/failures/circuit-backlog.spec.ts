import { setTimeout as sleep } from 'node:timers/promises';

import { describe, expect, it, jest } from '@jest/globals';

import { Gate, healthy } from '../../support/platform-answers.ts';
import { answerJson, type PlatformBehaviour } from '../../support/platform-stub.ts';
import { ServiceUnderTest } from '../../support/service-under-test.ts';
import { until } from '../../support/until.ts';

jest.setTimeout(20_000);

const PERIOD = { dateFrom: '2026-01-01 00:00:00', dateTo: '2026-01-02 00:00:00' };
const VARIABLES = {
  PLATFORM_MAX_ATTEMPTS: '1',
  CIRCUIT_MINIMUM_CALLS: '4',
  CIRCUIT_OPEN_MS: '1000',
  REPORTS_RETRY_DELAYS_MS: '300,1000',
};

const sick: PlatformBehaviour = (_request, response) => answerJson(response, 503, { errors: [] });

describe('a lane with a backlog', () => {
  it('keeps it in its queue while a probe is under way', async () => {
    const backlog = 30;
    const gate = new Gate();
    await using service = await ServiceUnderTest.start({ behaviour: sick, variables: VARIABLES });
    const worker = await service.worker();
    const reports = Array.from({ length: backlog }, () => service.caller.send('report.ad-hoc.fetch', PERIOD));
    await until(
      'the lane pauses',
      async () => (await worker.health()).bus.lanes['reports']?.state === 'paused',
    );
    service.platform.behaviour = gate.behind(healthy(1));
    await until('a probe is under way', () => gate.held === 1);
    await sleep(500);
    // No more is taken than may be in hand, each time that the lane looks again.
    const { messageCount } = await service.caller.channel.checkQueue(service.name('reports'));
    expect(messageCount).toBeGreaterThan(backlog / 2);
    expect(gate.held).toBe(1);
    gate.open();
    for (const replies of await Promise.all(reports)) expect(replies.at(-1)?.type).toBe('report.completed');
  });
});
