import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, beforeAll, expect, it } from '@jest/globals';

import { createSessions, players } from '../../support/create-sessions.ts';
import { Gate, healthy } from '../../support/platform-answers.ts';
import { ServiceUnderTest } from '../../support/service-under-test.ts';
import { until } from '../../support/until.ts';
import type { WorkerProcess } from '../../support/worker-process.ts';

/** A third of the deadline: how long what is in flight may take until its operation counts as stuck. */
const SLOW_MS = 5_000;
/** More than the half that an operation that is stuck may hold. */
const BURST = 100;

let service: ServiceUnderTest;
let worker: WorkerProcess;
beforeAll(async () => {
  service = await ServiceUnderTest.start({ behaviour: healthy() });
  worker = await service.worker({
    INTERACTIVE_PREFETCH: '128',
    INTERACTIVE_DEADLINE_MS: String(3 * SLOW_MS),
  });
});
afterAll(() => service[Symbol.asyncDispose]());

it('a burst after the broker was away is served, whatever was in flight meanwhile', async () => {
  const gate = new Gate();
  service.platform.behaviour = gate.behind(healthy());
  const before = createSessions(service, players(1, 'before'));
  await until('it is in flight', () => gate.held === 1);
  service.proxy.refuse();
  service.proxy.cut();
  await sleep(SLOW_MS + 500);
  await service.proxy.open();
  await worker.ready();

  const burst = createSessions(service, players(BURST, 'burst'));
  await until('all of it is in flight', async () => {
    const { bus } = await worker.health();
    return (bus.lanes['interactive']?.inFlight ?? 0) >= BURST;
  });
  gate.open();
  const codes = (await burst).map((reply) => reply?.body['code'] ?? reply?.type);
  expect(new Set(codes)).toEqual(new Set(['session.created']));
  expect((await before).map((reply) => reply?.type)).toEqual(['session.created']);
});
