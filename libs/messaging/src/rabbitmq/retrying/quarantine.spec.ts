import { describe, expect, it } from '@jest/globals';

import { type DeliveryFacts, deliveryOf } from '../consuming/delivery.fixture.ts';
import { startOf } from './quarantine.ts';

const LIMIT = 5;
const QUARANTINE = 'poker.quarantine';
const HERE = { kind: 'here' };
const POISON = { kind: 'poison' };
const quarantined = (starts: number) => ({ kind: 'quarantine', starts });
const start = (facts: DeliveryFacts, starts = 1, limit = LIMIT) =>
  startOf(deliveryOf(facts), QUARANTINE, starts, limit);

describe('startOf', () => {
  it.each([
    [undefined, HERE],
    [1, HERE],
    [2, HERE],
    [3, quarantined(1)],
    [49, quarantined(1)],
    ['3', HERE],
  ])('of a message that was redelivered %j times', (count, expected) => {
    expect(start({ headers: { 'x-delivery-count': count }, redelivered: true })).toEqual(expected);
  });

  it('believes no count that a caller wrote, at a first delivery', () => {
    expect(start({ headers: { 'x-delivery-count': 3 } })).toEqual(HERE);
  });

  it.each([
    ['the first start', 1, false, HERE],
    ['a start that did not finish', 1, true, quarantined(2)],
    ['the last start', LIMIT, false, HERE],
    ['the start before the last, not finished', LIMIT - 1, true, quarantined(LIMIT)],
    ['the last start, not finished', LIMIT, true, POISON],
    ['more starts than there may be', LIMIT + 1, true, POISON],
  ])('in quarantine: %s', (_, starts, redelivered, expected) => {
    expect(start({ queue: QUARANTINE, redelivered }, starts)).toEqual(expected);
  });

  it.each([1, 2, 5])('starts what kills its service %i times in quarantine', (limit) => {
    let finished = 0;
    let starts = 1;
    let redelivered = false;
    for (;;) {
      const found = start({ queue: QUARANTINE, redelivered }, starts, limit);
      if (found.kind === 'poison') break;
      if (found.kind === 'here') finished += 1;
      else ({ starts } = found);
      // A start ends in a crash and a redelivery of the same copy; a move makes a fresh copy.
      redelivered = found.kind === 'here';
    }
    expect(finished).toBe(limit);
  });
});
