import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { healthy } from '../../support/platform-answers.ts';
import { ServiceUnderTest } from '../../support/service-under-test.ts';
import { until } from '../../support/until.ts';

const DELAY_MS = 60_000;

describe('the rungs of the ladder', () => {
  let service: ServiceUnderTest;
  beforeAll(async () => {
    service = await ServiceUnderTest.start({
      behaviour: healthy(),
      variables: { REPORTS_RETRY_DELAYS_MS: String(DELAY_MS) },
    });
  });
  afterAll(() => service[Symbol.asyncDispose]());

  it('are used by a worker as soon as it is connected, so that none expires with what waits there', async () => {
    const worker = await service.worker();
    const rung = service.name(`reports.retry.${DELAY_MS}`);
    for (const body of ['first', 'second']) service.caller.channel.sendToQueue(rung, Buffer.from(body));
    const waiting = async () => (await service.caller.channel.checkQueue(rung)).messageCount;
    await until('they wait there', async () => (await waiting()) === 2);
    const before = service.proxy.accepted;
    service.proxy.cut();
    await until('both connections are made again', () => service.proxy.accepted >= before + 2);
    await worker.ready();
    await until('nobody has them in hand', async () => (await waiting()) === 2);
    // Taken, and given back to where it stood.
    expect(await service.caller.channel.get(rung, { noAck: true })).toMatchObject({
      content: Buffer.from('first'),
      fields: { redelivered: true },
    });
    expect(await service.caller.channel.get(rung, { noAck: true })).toMatchObject({
      content: Buffer.from('second'),
      fields: { redelivered: false },
    });
  });
});
