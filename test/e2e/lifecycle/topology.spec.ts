import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { healthy } from '../../support/platform-answers.ts';
import { ServiceUnderTest } from '../../support/service-under-test.ts';
import { EXIT_CONFIG } from './refusal-of.ts';

describe('a topology that differs from the one on the broker', () => {
  let service: ServiceUnderTest;
  beforeEach(async () => {
    service = await ServiceUnderTest.start({ behaviour: healthy() });
  });
  afterEach(() => service[Symbol.asyncDispose]());

  const expectRefusal = async (name: string): Promise<void> => {
    const worker = service.start();
    expect(await worker.ended()).toEqual({ code: EXIT_CONFIG, signal: null });
    expect(worker.stderr).toMatch(/^[^\n]+\n$/);
    expect(worker.stderr).toContain(service.name(name));
    expect(worker.stderr).toContain('Empty and delete it. Or choose another AMQP_PREFIX.');
    expect(worker.stderr).not.toContain(new URL(service.url).password);
  };

  it('is reported in one line if it is a queue of another kind', async () => {
    await service.caller.channel.assertQueue(service.name('reports'), { durable: true });
    await expectRefusal('reports');
  });

  it('is reported in one line if it is a queue with another argument', async () => {
    await service.caller.channel.assertQueue(service.name('dead-letters'), {
      durable: true,
      arguments: { 'x-queue-type': 'quorum', 'x-message-ttl': 1000 },
    });
    await expectRefusal('dead-letters');
  });

  it('is reported in one line if it is an exchange', async () => {
    await service.caller.channel.assertExchange(service.name('events'), 'fanout', { durable: true });
    await expectRefusal('events');
  });
});
