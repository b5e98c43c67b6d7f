import { beforeAll, describe, expect, it } from '@jest/globals';

import { healthy } from '../../support/platform-answers.ts';
import type { PlatformBehaviour } from '../../support/platform-stub.ts';
import { entry, publishRaw, raw, type RawProperties } from '../../support/raw-message.ts';
import { serviceForAll } from '../../support/suite-service.ts';
import { until } from '../../support/until.ts';
import type { WorkerProcess } from '../../../scripts/processes/worker-process.ts';

const SESSION = Buffer.from('{"userId":"p-1"}');
const INNOCENT = 40;
const PLATFORM_MS = 200;
const KIB = 1024;

const answer = healthy();
const slow: PlatformBehaviour = (...request) => void setTimeout(() => void answer(...request), PLATFORM_MS);

/** Headers that a worker does not read, each of a command of its own. */
const HOSTILE = {
  '10 kB of lists in lists': entry('a', raw.nested(2_000)),
  '27 kB of lists in lists, sealed': Buffer.concat([
    entry('x-seal', raw.text('A'.repeat(44))),
    entry('operator', raw.nested(5_400)),
  ]),
  'tables in tables, sealed': Buffer.concat([
    entry('x-seal', raw.text('A'.repeat(44))),
    entry('x-progress', raw.nested(2_000, 'F')),
  ]),
  '120 kB of nulls': entry('a', raw.nulls(120_000)),
  'a text of more than 16 KiB': entry('operator', raw.text('x'.repeat(16 * KIB))),
};
/** Headers with which a command is served as without them. */
const ODD = {
  '32 lists in each other': entry('a', raw.nested(32)),
  'names that every object has': Buffer.concat([
    entry('__proto__', raw.table(entry('operator', raw.text('nobody')))),
    entry('constructor', raw.nothing()),
  ]),
  'names that are no text': Buffer.concat([
    entry(Buffer.from([0xff, 0xfe]), raw.bytes(Buffer.from([0xff]))),
    entry('', raw.timestamp(2n ** 64n - 1n)),
  ]),
};

describe('strange headers, on two workers', () => {
  const service = serviceForAll({ behaviour: slow });
  let workers: WorkerProcess[];

  beforeAll(async () => {
    workers = await Promise.all([service.worker(), service.worker()]);
  });

  const send = (id: string, properties: RawProperties) => {
    const { caller, prefix } = service;
    const replies = caller.repliesTo(id);
    const all = { messageId: id, correlationId: id, replyTo: caller.replyQueue, ...properties };
    publishRaw(
      caller.channel,
      { exchange: `${prefix}.commands`, routingKey: 'session.create' },
      all,
      SESSION,
    );
    return replies;
  };

  it('are refused or ignored, and those beside them are answered', async () => {
    const innocent = Array.from({ length: INNOCENT }, (_, n) => send(`innocent-${n}`, {}));
    const hostile = Object.entries(HOSTILE).map(([name, headers]) => send(name, { headers }));
    const odd = Object.entries(ODD).map(([name, headers]) => send(name, { headers }));
    const after = Array.from({ length: INNOCENT }, (_, n) => send(`after-${n}`, {}));

    for (const replies of await Promise.all([...innocent, ...odd, ...after])) {
      expect(replies.map(({ type, correlationId, body }) => [type, correlationId, body['code']])).toEqual([
        ['session.created', expect.any(String), undefined],
      ]);
    }
    for (const replies of await Promise.all(hostile)) {
      expect(replies).toMatchObject([
        { body: { code: 'VALIDATION_FAILED', violations: [{ pointer: '/headers' }] } },
      ]);
    }
    for (const worker of workers) {
      expect(worker.child.exitCode).toBeNull();
      expect(worker.stderr).toBe('');
      expect(worker.log.filter(({ level }) => level === 'error' || level === 'fatal')).toEqual([]);
      expect(await worker.metric('poker_redeliveries_total')).toBe(0);
    }
  });

  it('are not in the dead letters of their commands', async () => {
    const names = Object.keys(HOSTILE).toSorted();
    const areThere = async () => (await service.depth('dead-letters')) === names.length;
    await until('the dead letters are there', areThere);
    const letters = await service.deadLetters();
    expect(letters.map(({ properties }) => String(properties.messageId)).toSorted()).toEqual(names);
    for (const { properties, content } of letters) {
      expect(content.equals(SESSION)).toBe(true);
      // Sent back as it is, it must not run with the credentials of `default`.
      expect(properties.headers).toMatchObject({ 'x-reason': 'VALIDATION_FAILED', operator: '' });
      expect(properties.headers).not.toHaveProperty('a');
      expect(properties.headers).not.toHaveProperty('x-progress');
    }
  });
});
