import { afterAll, beforeAll, expect, it } from '@jest/globals';

import { createSessions, players } from '../../support/create-sessions.ts';
import { Gate, healthy } from '../../support/platform-answers.ts';
import { ServiceUnderTest } from '../../support/service-under-test.ts';
import { until } from '../../support/until.ts';
import type { WorkerProcess } from '../../support/worker-process.ts';

let service: ServiceUnderTest;
let worker: WorkerProcess;
beforeAll(async () => {
  service = await ServiceUnderTest.start({ behaviour: healthy() });
  // A heartbeat would detect it, too, but later than this test waits.
  worker = await service.worker({ AMQP_URL: `${service.proxy.through(service.url)}?heartbeat=60` });
});
afterAll(() => service[Symbol.asyncDispose]());

it('a node that confirms nothing is given up for what is consumed, too, if it does not answer there either', async () => {
  const gate = new Gate();
  service.platform.behaviour = gate.behind(healthy());
  const answered = createSessions(service, players(1, 'in flight'));
  await until('it is in flight', () => gate.held === 1);
  // The first connection publishes, the second one consumes.
  service.proxy.stall(0);
  service.proxy.stall(1);
  gate.open();

  expect((await answered).map((reply) => reply?.type)).toEqual(['session.created']);
  const lost = () => worker.log.filter(({ msg }) => msg === 'the broker is not available');
  await until('both are given up', () => lost().length === 2);
  // Only now does the broker learn that they have gone, and give nothing more to the consumer of before.
  service.proxy.resume();
  const [reply] = await createSessions(service, players(1, 'afterwards'));
  expect(reply?.type).toBe('session.created');
  expect(lost()).toMatchObject([
    { connection: 'publishing', reason: 'the broker confirms nothing of what is published' },
    { connection: 'consuming', reason: 'a channel was not answered in time' },
  ]);
  expect(worker.stderr).toBe('');
});
