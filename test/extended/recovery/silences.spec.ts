import { describe, expect, it } from '@jest/globals';

import { describeSilences, longestSilenceMs } from './silences.ts';

const at = (...times: number[]) => times.map((atMs) => ({ lane: 'interactive', atMs }));

describe('longestSilenceMs', () => {
  it('is the longest gap between answers', () => {
    expect(longestSilenceMs(at(9_990, 10_010, 10_700, 10_750, 12_000), 10_000, 12_000)).toBe(1_250);
  });

  it('begins with the last answer before, and ends with the given time', () => {
    expect(longestSilenceMs(at(9_900, 10_600), 10_000, 10_800)).toBe(700);
    expect(longestSilenceMs(at(9_900, 10_100), 10_000, 15_000)).toBe(4_900);
  });

  it('is the whole time if nothing was answered', () => {
    expect(longestSilenceMs([], 10_000, 15_000)).toBe(5_000);
  });
});

describe('describeSilences', () => {
  it('has a row for each lane and kind', () => {
    const [title, , ...rows] = describeSilences([
      { what: 'a node is killed', lane: 'reports', ms: 500 },
      { what: 'a node is killed', lane: 'reports', ms: 2_500 },
      { what: 'a node is restarted', lane: 'reports', ms: 100 },
    ]).split('\n');
    expect(title).toContain('p95');
    expect(rows).toHaveLength(2);
    expect(rows[0]).toMatch(/^\| a node is killed +\| reports +\| 2 +\| 1\.5 s +\| 2\.5 s +\| 2\.5 s +\|$/);
  });
});
