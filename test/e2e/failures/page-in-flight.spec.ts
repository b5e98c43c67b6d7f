import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { Gate, healthy } from '../../support/platform-answers.ts';
import { ServiceUnderTest } from '../../support/service-under-test.ts';
import { until } from '../../support/until.ts';

const REPORT = { dateFrom: '2026-01-01 00:00:00', dateTo: '2026-01-02 00:00:00', perPage: 1 };
/** Long enough for a busy machine to read the page before it passes. */
const BUDGET_MS = 4_000;

describe('a page in flight to the broker at the deadline of its report', () => {
  let service: ServiceUnderTest;
  beforeAll(async () => {
    service = await ServiceUnderTest.start({ behaviour: healthy(3) });
    await service.worker();
  });
  afterAll(() => service[Symbol.asyncDispose]());

  it('has a sequence number of its own, and the final reply has the next', async () => {
    const gate = new Gate();
    service.platform.behaviour = gate.behind(healthy(3));
    const id = randomUUID();
    const deadlineAtMs = Date.now() + BUDGET_MS;
    const sent = service.caller.send('report.rake.fetch', REPORT, {
      messageId: id,
      headers: { 'x-deadline': deadlineAtMs },
    });
    await until('it is in flight', () => gate.held === 1);
    // The first connection publishes: the page does not reach the broker.
    service.proxy.stall(0);
    gate.open();
    await sleep(deadlineAtMs - Date.now() + 300);
    service.proxy.resume();

    // A reply that was not confirmed for so long may arrive again, under its own number.
    const replies = new Map(
      (await sent).map(({ type, messageId, body }) => [messageId, [type, body['code']]]),
    );
    expect([...replies]).toEqual([
      [`${id}:0`, ['report.page', undefined]],
      [`${id}:1`, ['command.failed', 'COMMAND_EXPIRED']],
    ]);
  });
});
