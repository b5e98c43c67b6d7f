import { describe, expect, it } from '@jest/globals';

import { playerOf } from './player-of.ts';

describe('playerOf', () => {
  it.each([
    ['session.create', { userId: 'p-1', lang: 7 }, 'p-1'],
    ['game.open', { player: { id: 'p-1' }, session: { id: 's-1' } }, 'p-1'],
    ['report.ad-hoc.fetch', { userId: 'p-1' }, 'p-1'],
    ['report.rake.fetch', {}, undefined],
    ['session.create', { userId: 7 }, undefined],
    ['game.open', { player: 'p-1' }, undefined],
    ['game.open', null, undefined],
    ['game.open', undefined, undefined],
  ] as const)('of %s with %j is %s', (type, data, expected) => {
    expect(playerOf(type, data)).toBe(expected);
  });
});
