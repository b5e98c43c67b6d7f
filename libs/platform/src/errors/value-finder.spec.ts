import { describe, expect, it } from '@jest/globals';

import { ValueFinder } from './value-finder.ts';

const LAST_CODE_POINT = 0x10_ff_ff;

describe('ValueFinder', () => {
  it('finds values that overlap, and those within others', () => {
    expect(new ValueFinder(['abc', 'bcd', 'cde']).find('abcde')).toEqual([
      [0, 3],
      [1, 4],
      [2, 5],
    ]);
    expect(new ValueFinder(['player-1', 'player-12']).find('player-12')).toContainEqual([0, 9]);
  });

  it('finds a value behind the beginning of another', () => {
    expect(new ValueFinder(['aaab', 'aab']).find('aaaab')).toEqual([[1, 5]]);
    expect(new ValueFinder(['abab!', 'bac']).find('ababac')).toEqual([[3, 6]]);
  });

  it('finds every letter of Unicode in each of its cases', () => {
    const missed: string[] = [];
    for (let codePoint = 0; codePoint <= LAST_CODE_POINT; codePoint += 1) {
      const letter = String.fromCodePoint(codePoint);
      for (const other of [letter.toLowerCase(), letter.toUpperCase()]) {
        if (other === letter || other.length !== letter.length) continue;
        if (new ValueFinder([`id ${letter}`]).find(`id ${other}`).length !== 1) missed.push(letter);
      }
    }
    expect(missed).toEqual([]);
  });
});
