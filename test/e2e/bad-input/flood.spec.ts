import { once } from 'node:events';
import { readFile } from 'node:fs/promises';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { healthy } from '../../support/platform-answers.ts';
import { ServiceUnderTest } from '../../support/service-under-test.ts';
import { until } from '../../support/until.ts';
import type { WorkerProcess } from '../../support/worker-process.ts';
import { hostileMessage } from './hostile-message.ts';
import { type Entry, Ledger } from './ledger.ts';

const MESSAGES = 20_000;
const DIFFERENT = 2_000;
const WARM_UP = 2_000;
const MIB = 1024 * 1024;

describe('twenty thousand hostile messages in a row', () => {
  let service: ServiceUnderTest;
  let worker: WorkerProcess;
  let ledger: Ledger;
  let rssBefore: number;

  beforeAll(async () => {
    service = await ServiceUnderTest.start({ behaviour: healthy(3) });
    // Not by way of the proxy, which runs in this process.
    worker = await service.worker({ AMQP_URL: service.url, EVENTS: 'none' });
    ledger = await Ledger.open(service);
    let t = Date.now();
    const messages = fc.sample(hostileMessage, { numRuns: DIFFERENT, seed: 20_000 });
    console.log('sample', Date.now() - t);
    t = Date.now();
    await send(messages, 0, WARM_UP);
    rssBefore = await rssOf(worker.pid);
    console.log('warm', Date.now() - t, rssBefore / MIB);
    t = Date.now();
    await send(messages, WARM_UP, MESSAGES);
    console.log('all', Date.now() - t, (await rssOf(worker.pid)) / MIB);
  }, 120_000);
  afterAll(async () => service?.[Symbol.asyncDispose]());

  async function send(
    messages: readonly (typeof hostileMessage extends fc.Arbitrary<infer T> ? T : never)[],
    from: number,
    to: number,
  ) {
    for (let n = from; n < to; n += 1) {
      const message = messages[n % DIFFERENT];
      if (message && !ledger.send(`n-${n}`, message)) await once(service.caller.channel, 'drain');
    }
    await until('each has an outcome', () => ledger.settled === to, 90_000);
  }

  it('have one final reply each, or one dead letter', () => {
    const wrong = [...ledger.entries].filter(([, entry]) => !isAccountedFor(entry));
    expect(
      wrong.map(([id, { sent, replies, deadLetters, undelivered }]) => [
        id,
        sent,
        replies.length,
        deadLetters.length,
        undelivered.length,
      ]),
    ).toEqual([]);
    expect(ledger.entries.size).toBe(MESSAGES);
  });

  it('leave the worker serving', async () => {
    const [reply] = await service.caller.send('session.create', { userId: 'p-1' });
    expect(reply?.type).toBe('session.created');
    expect((await worker.get('/health/ready')).status).toBe(200);
  });

  it('leave its memory bounded', async () => {
    expect((await rssOf(worker.pid)) - rssBefore).toBeLessThan(150 * MIB);
  });
});

function isAccountedFor({ sent: { replyTo }, replies, deadLetters, undelivered }: Entry): boolean {
  const counts = [replies.length, deadLetters.length, undelivered.length];
  switch (replyTo) {
    case 'usable':
      return counts[0] === 1 && counts[2] === 0;
    case 'gone':
      return counts[0] === 0 && counts[2] === 1;
    default:
      return String(counts) === '0,1,0';
  }
}

async function rssOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(status) ?? [];
  return Number(kilobytes) * 1024;
}
