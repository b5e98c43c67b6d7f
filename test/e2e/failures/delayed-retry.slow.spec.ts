import { setTimeout as sleep } from 'node:timers/promises';

import { describe, expect, it } from '@jest/globals';

import { Gate, healthy, unavailable } from '../../support/platform-answers.ts';
import { serviceForAll } from '../../support/suite-service.ts';
import { until } from '../../support/until.ts';

const PERIOD = { dateFrom: '2026-01-01 00:00:00', dateTo: '2026-01-02 00:00:00', perPage: 1 };

/** Where a postponed report continues is shown by test/e2e/bad-input/forged.spec.ts. */
describe('a report that the platform cannot serve now', () => {
  const gate = new Gate();
  const service = serviceForAll({
    behaviour: gate.behind(unavailable),
    variables: { REPORTS_RETRY_DELAYS_MS: '1000', PLATFORM_MAX_ATTEMPTS: '1', CIRCUIT_MINIMUM_CALLS: '1000' },
    workers: 1,
  });

  it('is postponed once the broker accepts copies again, and is not run again meanwhile', async () => {
    const report = service.caller.send('report.rake.fetch', PERIOD);
    await until('it is in flight', () => gate.held === 1);
    service.proxy.refuse();
    // The connection that publishes is opened first.
    service.proxy.cut(0);
    await until('it is away', async () => (await service.running.get('/health/ready')).status === 503);
    gate.open();
    await sleep(500);
    expect(service.platform.requests).toHaveLength(1);
    service.platform.behaviour = healthy(4);
    await service.proxy.open();
    expect((await report).at(-1)?.type).toBe('report.completed');
    expect(service.running.stdout).not.toContain(service.name('quarantine'));
  });
});
