import { describe, expect, it } from '@jest/globals';

import { MAX_IDS, SeenIds } from './seen-ids.ts';

const ids = (from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, index) => `player-${from + index}-1-2026-01-01`);
const repeatsOf = (seen: SeenIds, added: readonly string[]): number =>
  added.filter((id) => seen.add(id, 1) === 'repeated').length;

describe('SeenIds', () => {
  it('recognizes every id that was added before, and no other', () => {
    const seen = new SeenIds(5_000, 7);
    expect(repeatsOf(seen, ids(0, 5_000))).toBe(0);
    expect(repeatsOf(seen, ids(4_500, 5_500))).toBe(500);
  });

  it('reports `changed` for an id that reappears with another digest', () => {
    const seen = new SeenIds(2, 7);
    const large = 2 ** 31 + 1;
    expect([1, 1, large].map((digest) => seen.add('a', digest))).toEqual(['new', 'repeated', 'changed']);
    expect([large, large].map((digest) => seen.add('b', digest))).toEqual(['new', 'repeated']);
  });

  it('still recognizes the first ids when there are many more than expected', () => {
    const seen = new SeenIds(0, 7);
    expect(repeatsOf(seen, ids(0, 5_000))).toBe(0);
    expect(repeatsOf(seen, ids(0, 1_000))).toBe(1_000);
    expect(repeatsOf(seen, ids(4_000, 5_000))).toBe(0);
  });

  it('detects a repeated page from a sample when there are more ids than slots', () => {
    const seen = new SeenIds(4 * MAX_IDS, 7);
    expect(repeatsOf(seen, ids(0, 5_000))).toBe(0);
    const noticed = repeatsOf(seen, ids(0, 5_000));
    expect(noticed).toBeGreaterThan(1_000);
    expect(noticed).toBeLessThan(1_500);
  });
});
