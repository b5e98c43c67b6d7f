import { describe, expect, it } from '@jest/globals';

import { commandOf } from './command-in-hand.fixture.ts';
import { isRedelivery } from './is-redelivery.ts';
import { QUARANTINE_STARTS } from './route-of.ts';

describe('isRedelivery', () => {
  it.each([
    ['a first delivery', {}, false],
    ['a second one', { redelivered: true }, true],
    [
      'a command in quarantine, whose every start is a new copy',
      { headers: { [QUARANTINE_STARTS]: 1 } },
      true,
    ],
  ])('of %s', (_, facts, expected) => {
    expect(isRedelivery(commandOf(facts).delivery)).toBe(expected);
  });
});
