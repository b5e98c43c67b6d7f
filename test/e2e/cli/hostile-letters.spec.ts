import { beforeAll, describe, expect, it } from '@jest/globals';

import { healthy } from '../../support/platform-answers.ts';
import { entry, publishRaw, raw } from '../../support/raw-message.ts';
import { serviceForAll } from '../../support/suite-service.ts';
import { until } from '../../support/until.ts';
import { KeptMessages } from './kept-messages.ts';

const FAR = 2n ** 64n - 1n;
const death = (time: Buffer): Buffer =>
  entry(
    'x-death',
    raw.list(raw.table(entry('time', time), entry('queue', raw.list()), entry('reason', time))),
  );

/** Headers of a sender with permission to write to the queue. */
const LETTERS: Readonly<Record<string, Buffer>> = {
  'far-away': death(raw.timestamp(FAR)),
  'no-time': death(raw.nested(20)),
  deep: entry('x-death', raw.nested(2_000)),
  long: entry('x-reason', raw.nulls(120_000)),
  'forged-origin': Buffer.concat([
    entry('x-origin-user-id', raw.text('shop')),
    entry('x-origin-queue', raw.text('shop.queue')),
    entry('x-seal', raw.text('A'.repeat(44))),
  ]),
  prototype: entry('__proto__', raw.table(entry('x-reason', raw.text('NOT_FOUND')))),
};
const IDS = [...Object.keys(LETTERS), 'expired'].toSorted();
const DEEP = Buffer.from(`{"userId":${'['.repeat(30_000)}1234567890123456789${']'.repeat(30_000)}}`);

describe('poker-bridge dead-letters, with messages of an untrusted sender', () => {
  const service = serviceForAll({ behaviour: healthy(), variables: { LANES: 'reports' }, workers: 1 });
  const kept = new KeptMessages(service);

  beforeAll(async () => {
    const routingKey = service.name('dead-letters');
    for (const [messageId, headers] of Object.entries(LETTERS)) {
      const timestamp = Buffer.alloc(8, 0xff);
      publishRaw(service.caller.channel, { routingKey }, { headers, messageId, timestamp }, DEEP);
    }
    // The message expires in the unserved lane.
    const lane = { routingKey: service.name('interactive') };
    const headers = LETTERS['far-away'] as Buffer;
    publishRaw(service.caller.channel, lane, { headers, messageId: 'expired', expiration: '1' }, DEEP);
    await until('the letters are there', async () => (await service.depth('dead-letters')) === IDS.length);
  });

  it('lists all of them, and ignores unverified origins', async () => {
    const { code, stderr, lines } = await kept.run('dead-letters list --json');
    expect([code, stderr]).toEqual([0, '']);
    expect(lines.map(({ id }) => id).toSorted()).toEqual(IDS);
    expect(lines.find(({ id }) => id === 'forged-origin')).toMatchObject({ queue: '' });
    expect(lines.find(({ id }) => id === 'far-away')).toMatchObject({ failedAt: null });
    const { stdout } = await kept.run('dead-letters list');
    expect(stdout).not.toContain('shop');
    expect((await kept.run('dead-letters list --json --caller shop')).lines).toEqual([]);
    expect((await kept.run('dead-letters list --caller shop', { INTERNAL_KEY: '' })).code).toBe(78);
    const short = await kept.run('dead-letters list', { INTERNAL_KEY: 'short' });
    expect(short).toMatchObject({ code: 78, stderr: 'INTERNAL_KEY: must be at least 32 characters\n' });
  });

  it('shows each one, with and without its body', async () => {
    // One after the other: a process waits for messages that another one has prefetched.
    for (const id of IDS)
      for (const options of ['', ' --body --json'])
        expect(await kept.run(`dead-letters show ${id}${options}`)).toMatchObject({ code: 0, stderr: '' });
  });

  it('redrives and discards them', async () => {
    const redriven = await kept.run('dead-letters redrive --all --yes --force');
    expect([redriven.code, redriven.stderr]).toEqual([0, '']);
    expect(redriven.stdout).toMatch(/7 redriven, 0 left/);
    const moved = await service.caller.drain(service.name('interactive'));
    expect(moved.map(({ properties }) => String(properties.messageId)).toSorted()).toEqual(IDS);
    for (const { properties } of moved) expect(JSON.stringify(properties.headers).length).toBeLessThan(1_000);
    publishRaw(
      service.caller.channel,
      { routingKey: service.name('dead-letters') },
      { headers: LETTERS['deep'], messageId: 'again' },
      DEEP,
    );
    await until('it is there', async () => (await service.depth('dead-letters')) === 1);
    expect(await kept.run('dead-letters discard --id again --yes')).toMatchObject({ code: 0, stderr: '' });
    expect(await service.depth('dead-letters')).toBe(0);
  });
});
