import { describe, expect, it } from '@jest/globals';

import type { Reply } from '#contracts';
import { COMMANDS, REPLIES } from '#contracts/validation';

import { InternalKeys } from '../envelope/internal-keys.ts';
import { RedisEntries } from './redis-entries.ts';

const keysOf = (byte: number) => new InternalKeys(Buffer.alloc(32, byte));
const entries = new RedisEntries('poker', keysOf(7));
const name = entries.nameOf('identity', 'fingerprint');
const opened: Reply = {
  type: 'game.opened',
  data: { id: 'g-1', playerId: 'ünï\u2028', sessionId: 's-1', auth: 'CANARY', url: 'https://example.com' },
};
const store = (reply: unknown): string => entries.outcomeOf(name, reply as Reply);
const read = (stored: string | null) => entries.read(stored, name);
const FREE = { kind: 'free' };

describe('The name of a command in Redis', () => {
  it('is the same for all workers with one key', () => {
    expect(new RedisEntries('poker', keysOf(7)).nameOf('identity', 'fingerprint')).toEqual(name);
    expect(name.key).toMatch(/^poker:identity:[0-9a-f]{64}$/);
  });

  it('cannot be computed without the key of the workers', () => {
    const guessed = new RedisEntries('poker', keysOf(8)).nameOf('identity', 'fingerprint');
    expect(guessed.key).not.toBe(name.key);
    expect(guessed.fingerprint).not.toBe(name.fingerprint);
  });

  it('differs for other data under one identity, and for the same data under two', () => {
    const changed = entries.nameOf('identity', 'other');
    expect(changed.key).toBe(name.key);
    expect(changed.fingerprint).not.toBe(name.fingerprint);
    expect(entries.nameOf('another', 'fingerprint').fingerprint).not.toBe(name.fingerprint);
  });
});

describe('A lease in Redis', () => {
  it('is in flight for its command, and a conflict for other data', () => {
    const lease = entries.leaseOf(name, 'owner');
    expect(read(lease)).toEqual({ kind: 'in flight' });
    expect(entries.read(lease, entries.nameOf('identity', 'other'))).toEqual({ kind: 'conflict' });
  });
});

describe('An outcome in Redis that is not kept', () => {
  it('is given to repeats of its command, and does not conflict with other data', () => {
    const data = { code: 'RATE_LIMITED', retryable: true };
    const reply = { type: 'command.failed', data } as unknown as Reply;
    expect(read(store(reply))).toEqual({ kind: 'settled', reply });
    expect(entries.read(store(reply), entries.nameOf('identity', 'other'))).toEqual(FREE);
  });
});

describe('An outcome in Redis', () => {
  it('gives back what was stored, which nobody else can read', () => {
    const stored = store(opened);
    expect(read(stored)).toEqual({ kind: 'settled', reply: opened });
    expect(Buffer.from(stored.split(' ')[2]!, 'base64').toString('latin1')).not.toContain('CANARY');
    expect(store(opened)).not.toBe(stored);
    expect(entries.read(stored, entries.nameOf('identity', 'other'))).toEqual({ kind: 'conflict' });
  });

  // A final reply that is not known here would have every other worker do its command a second time.
  it.each(COMMANDS.flatMap(({ replies }) => replies.filter(({ final }) => final).map(({ type }) => type)))(
    'gives back %s with whatever members it has',
    (type) => {
      const reply = { type, data: { later: 1 } };
      expect(read(store(reply))).toEqual({ kind: 'settled', reply });
    },
  );

  it.each([
    ...[...REPLIES.values()].filter(({ final }) => !final).map(({ type }) => ({ type, data: {} })),
    [],
    'game.opened',
    { type: 'game.opened' },
    { type: 'game.opened', data: null },
    { type: 'constructor', data: {} },
  ])('counts as absent if it is no final reply: %j', (value) => {
    expect(read(store(value))).toEqual(FREE);
  });

  it.each([
    null,
    '',
    'settled',
    JSON.stringify(opened),
    `outcome ${name.fingerprint}`,
    `outcome ${name.fingerprint} AAAA`,
    `outcome ${name.fingerprint} ${Buffer.alloc(100).toString('base64')}`,
  ])('counts as absent if somebody else wrote it: %s', (stored) => {
    expect(read(stored)).toEqual(FREE);
  });

  it.each([' ', 'A', '=', '🂡', 'outcome ', '{"a":'])(
    'is read in no more time than 1 MB of %j costs',
    (unit) => {
      const text = unit.repeat(1_000_000 / unit.length);
      const used = process.threadCpuUsage();
      for (const stored of [text, `outcome ${name.fingerprint} ${text}`, `passing ${text}`]) read(stored);
      const { user, system } = process.threadCpuUsage(used);
      expect((user + system) / 1_000).toBeLessThan(50);
    },
  );

  it('counts as absent if it was changed by a bit, or cut', () => {
    const [kind, fingerprint, sealed = ''] = store(opened).split(' ');
    const bytes = Buffer.from(sealed, 'base64');
    const again = (changed: Buffer) => read(`${kind} ${fingerprint} ${changed.toString('base64')}`);
    for (const at of [0, 12, 28, bytes.length - 1]) {
      const changed = Buffer.from(bytes);
      changed[at]! ^= 1;
      expect(again(changed)).toEqual(FREE);
    }
    expect(again(bytes.subarray(0, -1))).toEqual(FREE);
    expect(again(bytes)).toMatchObject({ kind: 'settled' });
  });

  it('belongs to one command, and to workers with one key', () => {
    const [kind, , sealed] = store(opened).split(' ');
    for (const other of [entries.nameOf('identity', 'other'), entries.nameOf('another', 'fingerprint')])
      expect(entries.read(`${kind} ${other.fingerprint} ${sealed}`, other)).toEqual(FREE);
    expect(new RedisEntries('poker', keysOf(8)).read(store(opened), name)).toEqual(FREE);
  });

  it('can be read after the key has changed, and is written with the new one', () => {
    const keys = keysOf(7);
    const changed = new RedisEntries('poker', keys);
    const before = store(opened);
    keys.rotate(Buffer.alloc(32, 8));
    expect(changed.nameOf('identity', 'fingerprint')).toEqual(name);
    expect(changed.read(before, name)).toMatchObject({ kind: 'settled' });
    expect(read(changed.outcomeOf(name, opened))).toEqual(FREE);
  });
});
