import { describe, expect, it } from '@jest/globals';

import type { Reply } from '#contracts';

import type { Standing } from './redis-identities.ts';
import { type RedisWait, replyOfHolder } from './redis-wait.ts';

const LEASE_MS = 1_000;
const reply = { type: 'session.created', data: {} } as Reply;
const underWay: Standing = { kind: 'under way', connection: '7' };

/** What `looks` give one after the other, the last one for ever, and the pauses before them. */
const waitFor = (...looks: (Standing | undefined)[]) => waitWith({}, ...looks);

async function waitWith(options: Partial<RedisWait>, ...looks: (Standing | undefined)[]) {
  const pauses: number[] = [];
  let nowMs = 0;
  const result = await replyOfHolder({
    ...options,
    look: () => Promise.resolve(looks.length > 1 ? looks.shift() : looks[0]),
    leaseMs: LEASE_MS,
    nowMs: () => nowMs,
    pause: (durationMs) => {
      pauses.push(durationMs);
      nowMs += durationMs;
      return Promise.resolve();
    },
  });
  return { result, pauses };
}

describe('replyOfHolder', () => {
  it('looks again with pauses that grow up to a quarter of a second, until there is a reply', async () => {
    const looks = Array.from({ length: 7 }, () => underWay);
    const { result, pauses } = await waitFor(...looks, { kind: 'replied', reply });
    expect(result).toBe(reply);
    expect(pauses).toEqual([10, 20, 40, 80, 160, 250, 250, 250]);
  });

  it.each<Standing>([{ kind: 'absent' }, { kind: 'conflict' }])(
    'ends without a reply where the identity is free or somebody else took it: $kind',
    async (standing) => {
      const { result, pauses } = await waitFor(underWay, standing);
      expect(result).toBeUndefined();
      expect(pauses).toHaveLength(2);
    },
  );

  it('ends without a reply once the identity was freed from a dead holder', async () => {
    const freed: string[] = [];
    const freeFromDead = (connection: string) => Promise.resolve(freed.push(connection) === 3);
    const { result, pauses } = await waitWith({ freeFromDead }, underWay, underWay, underWay, underWay);
    expect(result).toBeUndefined();
    expect([freed, pauses]).toEqual([
      ['7', '7', '7'],
      [10, 20, 40],
    ]);
  });

  it('goes on over a hiccup of Redis', async () => {
    const hiccup = [undefined, undefined, undefined];
    expect((await waitFor(underWay, ...hiccup, { kind: 'replied', reply })).result).toBe(reply);
  });

  it('ends without a reply once Redis is away for longer than a lease', async () => {
    const { result, pauses } = await waitFor(underWay, undefined);
    expect(result).toBeUndefined();
    expect(pauses.reduce((sum, each) => sum + each)).toBeLessThanOrEqual(LEASE_MS + 260);
  });
});
