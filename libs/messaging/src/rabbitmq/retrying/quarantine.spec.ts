import { describe, expect, it } from '@jest/globals';

import { type DeliveryFacts, deliveryOf } from '../consuming/delivery.fixture.ts';
import { startOf } from './quarantine.ts';

const LIMIT = 5;
const QUARANTINE = 'poker.quarantine';
const HERE = { kind: 'here' };
const POISON = { kind: 'poison' };
const ALONE = { kind: 'alone' };
const quarantined = (starts: number) => ({ kind: 'quarantine', starts });
const turn = (starts: number) => ({ kind: 'turn', starts });
const wait = (starts: number) => ({ kind: 'wait', starts });
const start = (facts: DeliveryFacts, starts = 0, limit = LIMIT) =>
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
    ['the first start, not finished', 1, true, wait(1)],
    ['a later start', 2, false, ALONE],
    ['a later start, not finished', 2, true, wait(2)],
    ['the last start', LIMIT, false, ALONE],
    ['the start before the last, not finished', LIMIT - 1, true, wait(LIMIT - 1)],
    ['the last start, not finished', LIMIT, true, POISON],
    ['more starts than there may be', LIMIT + 1, true, POISON],
    ['a copy that nobody counted, not finished', 0, true, wait(1)],
  ])('in quarantine: %s', (_, starts, redelivered, expected) => {
    expect(start({ queue: QUARANTINE, redelivered }, starts)).toEqual(expected);
  });

  it.each([0, 3])('counts no wait for a turn as a start, however often it is cut off: %i times', (count) => {
    const facts = { headers: { 'x-delivery-count': count }, redelivered: count > 0 };
    expect(start(facts, 2)).toEqual(turn(3));
  });

  it('lets the only start be alone', () => {
    expect(start({ headers: { 'x-delivery-count': 3 }, redelivered: true }, 0, 1)).toEqual(turn(1));
    expect(start({ queue: QUARANTINE }, 1, 1)).toEqual(ALONE);
  });

  it.each([1, 2, 5])('starts what kills its service %i times in quarantine', (limit) => {
    let started = 0;
    let starts = 0;
    let facts: DeliveryFacts = { headers: { 'x-delivery-count': 3 }, redelivered: true };
    for (;;) {
      const found = start(facts, starts, limit);
      if (found.kind === 'poison') break;
      if ('starts' in found) {
        ({ starts } = found);
        facts = found.kind === 'wait' ? {} : { queue: QUARANTINE };
      } else {
        started += 1;
        // A start ends in a crash and a redelivery of the same copy; a move makes a fresh copy.
        facts = { queue: QUARANTINE, redelivered: true };
      }
    }
    expect(started).toBe(limit);
  });
});
