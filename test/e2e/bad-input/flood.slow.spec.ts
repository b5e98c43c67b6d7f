import { once } from 'node:events';
import { readFile } from 'node:fs/promises';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { COMMAND_TYPES, ERROR_CODES, LANES } from '#contracts';

import { healthy } from '../../support/platform-answers.ts';
import { ServiceUnderTest } from '../../support/service-under-test.ts';
import { until } from '../../support/until.ts';
import type { WorkerProcess } from '../../../scripts/processes/worker-process.ts';
import { type HostileMessage, hostileMessage } from './hostile-message.ts';
import { isAccountedFor, Ledger } from './ledger.ts';

const MESSAGES = 20_000;
const DIFFERENT = 2_000;
/** After so many messages its memory is that of a busy worker; it stays there (measured: up to 350 MiB after 80,000). */
const WARM_UP = 2_000;
const MAX_GROWTH_MIB = 256;
/** Twenty seconds on an idle machine. */
const FLOOD_TIMEOUT_MS = 300_000;

describe('twenty thousand hostile messages in a row', () => {
  let service: ServiceUnderTest;
  let worker: WorkerProcess;
  let ledger: Ledger;
  let residentBefore: number;

  const flood = async (messages: readonly HostileMessage[], from: number, to: number): Promise<void> => {
    for (let n = from; n < to; n += 1) {
      const message = messages[n % messages.length] as HostileMessage;
      if (!ledger.send(`n-${n}`, message)) await once(service.caller.channel, 'drain');
    }
    await until('each has an outcome', () => ledger.settled === to, FLOOD_TIMEOUT_MS);
  };

  beforeAll(async () => {
    service = await ServiceUnderTest.start({ behaviour: healthy(3) });
    // Not through the proxy, which would share this process with the flood.
    worker = await service.worker({ AMQP_URL: service.url, EVENTS: 'none' });
    ledger = await Ledger.open(service);
    const messages = fc.sample(hostileMessage, { numRuns: DIFFERENT, seed: MESSAGES });
    await flood(messages, 0, WARM_UP);
    residentBefore = await residentMiB(worker.pid);
    await flood(messages, WARM_UP, MESSAGES);
  }, 2 * FLOOD_TIMEOUT_MS);
  afterAll(async () => service?.[Symbol.asyncDispose]());

  it('have one final reply each, or one dead letter if there is no reply queue', () => {
    const wrong = [...ledger.entries.values()].filter((entry) => !isAccountedFor(entry));
    expect(wrong).toEqual([]);
    expect(ledger.entries.size).toBe(MESSAGES);
  });

  it('end in many different ways', () => {
    const codes = [...ledger.entries.values()].flatMap(({ deadLetters }) =>
      deadLetters.map(({ properties }) => String(properties.headers?.['x-reason'])),
    );
    expect([...new Set(codes)].toSorted()).toEqual(
      expect.arrayContaining([
        'MALFORMED_MESSAGE',
        'MESSAGE_TOO_LARGE',
        'REPLY_TO_FORBIDDEN',
        'REPLY_TO_MISSING',
        'UNKNOWN_COMMAND',
        'UNKNOWN_OPERATOR',
        'UNSUPPORTED_VERSION',
        'VALIDATION_FAILED',
      ]),
    );
  });

  it('leave the worker serving', async () => {
    const [reply] = await service.caller.send('session.create', { userId: 'p-1' });
    expect(reply?.type).toBe('session.created');
    expect((await worker.get('/health/ready')).status).toBe(200);
  });

  it('add no time series to the metrics beyond types, lanes, operations and outcomes', async () => {
    const { body } = await worker.get('/metrics');
    const ours = body.match(/^poker_.*$/gm)?.join('\n') ?? '';
    const labels = [...ours.matchAll(/\b(type|lane|operator|operation)="([^"]*)"/g)].map(
      ([, , value]) => value,
    );
    const known = [...COMMAND_TYPES, ...LANES, 'unknown', 'default'];
    expect([...new Set(labels)].filter((value) => !known.some((name) => name === value))).toEqual([]);
    const outcomes = [...ours.matchAll(/\boutcome="([^"]*)"/g)].map(([, outcome = '']) => outcome);
    expect(outcomes.filter((outcome) => outcome !== 'success' && !(outcome in ERROR_CODES))).toEqual([]);
  });

  it('leave its memory bounded', async () => {
    expect((await residentMiB(worker.pid)) - residentBefore).toBeLessThan(MAX_GROWTH_MIB);
  });

  it('leave nothing behind', async () => {
    const ready = async (queue: string) =>
      (await service.caller.channel.checkQueue(service.name(queue))).messageCount;
    expect(await Promise.all(['interactive', 'reports', 'quarantine'].map(ready))).toEqual([0, 0, 0]);
    expect(worker.log.filter(({ msg }) => String(msg).includes('returned to its queue'))).toEqual([]);
  });
});

async function residentMiB(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const [, kibibytes] = /^VmRSS:\s+(\d+) kB$/m.exec(status) ?? [];
  return Number(kibibytes) / 1024;
}
