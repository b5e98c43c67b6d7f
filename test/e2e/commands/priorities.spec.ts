import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { Gate, healthy, playerOf } from '../../support/platform-answers.ts';
import { ServiceUnderTest } from '../../support/service-under-test.ts';
import { until } from '../../support/until.ts';

const COMMANDS = 10;

/** Quorum queues of RabbitMQ 4 deliver what has a priority above 4 first. */
describe('a caller that gives its commands a priority', () => {
  const gate = new Gate();
  let service: ServiceUnderTest;

  beforeAll(async () => {
    service = await ServiceUnderTest.start({
      behaviour: gate.behind(healthy()),
      variables: { INTERACTIVE_PREFETCH: '1' },
    });
    await service.worker();
  });
  afterAll(async () => service?.[Symbol.asyncDispose]());

  it('is served after those who had waited before it', async () => {
    const { caller, platform } = service;
    const send = (name: string, priority?: number) =>
      caller.send('session.create', { userId: name }, { messageId: name, ...(priority && { priority }) });
    const first = send('first');
    await until('the worker has its first command', () => gate.held === 1);
    const ordinary = Array.from({ length: COMMANDS }, (_, index) => `ordinary-${index}`);
    const preferred = ordinary.map((_, index) => `preferred-${index}`);
    const all = [...ordinary.map((name) => send(name)), ...preferred.map((name) => send(name, 9))];
    const lane = service.name('interactive');
    await until(
      'all wait in the lane',
      async () => (await caller.channel.checkQueue(lane)).messageCount === all.length,
    );
    gate.open();
    await Promise.all([first, ...all]);
    expect(platform.requests.map(playerOf)).toEqual(['first', ...ordinary, ...preferred]);
  });
});
