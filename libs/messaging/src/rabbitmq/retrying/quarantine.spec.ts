import { describe, expect, it } from '@jest/globals';

import { type DeliveryFacts, deliveryOf } from '../consuming/delivery.fixture.ts';
import { isRedelivery, QUARANTINE_STARTS, startOf } from './quarantine.ts';

const LIMIT = 5;
const QUARANTINE = 'poker.quarantine';
const HERE = { kind: 'here' };
const POISON = { kind: 'poison' };
const quarantined = (starts: number) => ({ kind: 'quarantine', headers: { 'x-quarantine-starts': starts } });
const start = (facts: DeliveryFacts, limit = LIMIT) => startOf(deliveryOf(facts), QUARANTINE, limit);

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

  it.each([
    ['the first start', 1, false, HERE],
    ['a start that did not finish', 1, true, quarantined(2)],
    ['the last start', LIMIT, false, HERE],
    ['the start before the last, not finished', LIMIT - 1, true, quarantined(LIMIT)],
    ['the last start, not finished', LIMIT, true, POISON],
    ['more starts than there may be', LIMIT + 1, true, POISON],
    ['a copy without a count', undefined, true, quarantined(2)],
    ['a copy with a count that cannot be read', 'many', true, quarantined(2)],
  ])('in quarantine: %s', (_, starts, redelivered, expected) => {
    const headers = { [QUARANTINE_STARTS]: starts };
    expect(start({ queue: QUARANTINE, headers, redelivered })).toEqual(expected);
  });

  it.each([1, 2, 5])('starts what kills its service %i times in quarantine', (limit) => {
    let starts = 0;
    let headers: Record<string, unknown> = { [QUARANTINE_STARTS]: 1 };
    let redelivered = false;
    for (;;) {
      const found = start({ queue: QUARANTINE, headers, redelivered }, limit);
      if (found.kind === 'poison') break;
      if (found.kind === 'here') starts += 1;
      else headers = found.headers;
      // A start ends in a crash and a redelivery of the same copy; a move makes a fresh copy.
      redelivered = found.kind === 'here';
    }
    expect(starts).toBe(limit);
  });

  it('believes no count that a caller wrote, outside of quarantine', () => {
    expect(start({ headers: { [QUARANTINE_STARTS]: 99 } })).toEqual(HERE);
    const headers = { [QUARANTINE_STARTS]: 99, 'x-delivery-count': 3 };
    expect(start({ headers })).toEqual(HERE);
    expect(start({ headers, redelivered: true })).toEqual(quarantined(1));
  });
});

describe('isRedelivery', () => {
  it.each([
    ['a first delivery', {}, false],
    ['a second one', { redelivered: true }, true],
    ['quarantine, where every start is a new copy', { headers: { [QUARANTINE_STARTS]: 1 } }, true],
  ])('of %s', (_, facts, expected) => {
    expect(isRedelivery(deliveryOf(facts))).toBe(expected);
  });
});
