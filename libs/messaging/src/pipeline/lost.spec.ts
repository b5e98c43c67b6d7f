import { setImmediate as turn } from 'node:timers/promises';

import { describe, expect, it } from '@jest/globals';

import { type DeliveryFacts, deliveryOf } from '../../../rabbitmq/src/consuming/delivery.fixture.ts';
import { CREATED, SpecPipeline } from './pipeline.fixture.ts';

const SESSION: DeliveryFacts = { properties: { messageId: 'm-1', replyTo: 'lobby' } };
const LARGE = { ...SESSION, body: Buffer.from('{"userId":"p-1"}'.padEnd(5_000)) };

/** Delivers a message, and loses its connection before it is settled. */
async function lose(spec: SpecPipeline, facts = SESSION): Promise<void> {
  const delivery = deliveryOf(facts);
  const processed = spec.pipeline.process(delivery);
  if (facts !== LARGE) await turn();
  delivery.lose();
  spec.pipeline.connected();
  await processed;
}

describe('after a reconnect, a command of the lost connection', () => {
  it.each<[string, DeliveryFacts]>([
    ['for a connection to the platform', SESSION],
    ['in quarantine', { ...SESSION, queue: 'poker.quarantine', redelivered: true }],
  ])('ends if it waits %s, and runs when it is redelivered', async (_, facts) => {
    const spec = new SpecPipeline();
    spec.handler = async (_data, command) => {
      command.isWaiting = true;
      return await command.deadline.race(new Promise(() => undefined));
    };
    await lose(spec, facts);
    expect(spec.messages).toEqual([]);
    spec.handler = () => Promise.resolve(CREATED);
    const { published } = await spec.process({ redelivered: true });
    expect(published).toEqual([['lobby', 'session.created']]);
  });

  it('ends if it waits for the same command, which runs', async () => {
    const spec = new SpecPipeline();
    const gate = Promise.withResolvers<typeof CREATED>();
    spec.handler = () => gate.promise;
    const first = spec.process();
    await turn();
    await lose(spec);
    gate.resolve(CREATED);
    expect((await first).published).toEqual([['lobby', 'session.created']]);
  });

  it('continues if it runs, and its reply answers the redelivered command', async () => {
    const spec = new SpecPipeline();
    const gate = Promise.withResolvers<typeof CREATED>();
    let runs = 0;
    spec.handler = () => {
      runs += 1;
      return gate.promise;
    };
    const lost = lose(spec);
    await turn();
    const redelivered = spec.process({ redelivered: true });
    await turn();
    gate.resolve(CREATED);
    await lost;
    expect((await redelivered).published).toEqual([['lobby', 'session.created']]);
    expect(runs).toBe(1);
  });

  it('is not read if it is large and waited to be read', async () => {
    const spec = new SpecPipeline();
    await lose(spec, LARGE);
    expect(spec.told).toEqual([]);
  });
});
