import { describe, expect, it } from '@jest/globals';

import { busNames } from '#contracts';
import { commandOf } from './command-in-hand.fixture.ts';
import { routeOf, QUARANTINE_STARTS } from './route-of.ts';

const NAMES = busNames('poker');
const DELIVERY_LIMIT = 5;
const HERE = { kind: 'here' };
const POISON = { kind: 'poison' };
const toQuarantine = (starts: number) => ({
  kind: 'move',
  queue: 'poker.quarantine',
  headers: { 'x-quarantine-starts': starts },
});

const route = (facts: Parameters<typeof commandOf>[0]) => routeOf(commandOf(facts), NAMES, DELIVERY_LIMIT);

describe('routeOf', () => {
  it.each([
    ['session.create', 'poker.interactive', HERE],
    ['report.rake.fetch', 'poker.reports', HERE],
    ['session.create', 'poker.reports', { kind: 'move', queue: 'poker.interactive', headers: {} }],
    ['report.ad-hoc.fetch', 'poker.interactive', { kind: 'move', queue: 'poker.reports', headers: {} }],
    ['no.such.command', 'poker.interactive', HERE],
    ['no.such.command', 'poker.reports', HERE],
    ['constructor', 'poker.reports', HERE],
  ])('of %s found in %s', (type, queue, expected) => {
    expect(route({ properties: { type }, queue })).toEqual(expected);
  });

  it.each([
    [undefined, HERE],
    [1, HERE],
    [2, HERE],
    [3, toQuarantine(1)],
    [49, toQuarantine(1)],
    ['3', HERE],
  ])('of a command that was redelivered %j times', (count, expected) => {
    expect(route({ headers: { 'x-delivery-count': count }, redelivered: true })).toEqual(expected);
  });

  it('counts a move from the other lane as no redelivery, and a redelivery before the lane', () => {
    const headers = { 'x-delivery-count': 3 };
    const properties = { type: 'report.rake.fetch' };
    expect(route({ properties, headers, redelivered: true })).toEqual(toQuarantine(1));
  });

  it.each([
    ['the first start', 1, false, HERE],
    ['a start that did not finish', 1, true, toQuarantine(2)],
    ['the last start', DELIVERY_LIMIT, false, HERE],
    ['the start before the last, not finished', DELIVERY_LIMIT - 1, true, toQuarantine(DELIVERY_LIMIT)],
    ['the last start, not finished', DELIVERY_LIMIT, true, POISON],
    ['more starts than there may be', DELIVERY_LIMIT + 1, true, POISON],
    ['a copy without a count', undefined, true, toQuarantine(2)],
    ['a copy with a count that cannot be read', 'many', true, toQuarantine(2)],
  ])('in quarantine: %s', (_, starts, redelivered, expected) => {
    expect(
      route({ queue: 'poker.quarantine', headers: { [QUARANTINE_STARTS]: starts }, redelivered }),
    ).toEqual(expected);
  });

  it('keeps commands of either lane in quarantine', () => {
    const properties = { type: 'report.rake.fetch' };
    expect(route({ queue: 'poker.quarantine', properties })).toEqual(HERE);
  });

  it.each([1, 2, 5])('starts a command that kills its worker %i times in quarantine', (limit) => {
    let starts = 0;
    let headers: Record<string, unknown> = { [QUARANTINE_STARTS]: 1 };
    let redelivered = false;
    for (;;) {
      const found = routeOf(commandOf({ queue: 'poker.quarantine', headers, redelivered }), NAMES, limit);
      if (found.kind === 'poison') break;
      if (found.kind === 'here') starts += 1;
      else headers = found.headers;
      // A start ends in a crash and a redelivery of the same copy; a move makes a fresh copy.
      redelivered = found.kind === 'here';
    }
    expect(starts).toBe(limit);
  });

  it.each([
    ['an id that is too long', { properties: { messageId: 'x'.repeat(201) } }],
    ['an operator that is no text', { headers: { operator: ['casino'] } }],
    ['an unreadable deadline', { headers: { 'x-deadline': 'tomorrow' } }],
  ])('of a command with %s: answered where it was found, since a copy would not show it', (_, facts) => {
    const headers = { ...(facts as { headers?: object }).headers, 'x-delivery-count': 3 };
    expect(route({ ...facts, queue: 'poker.reports' })).toEqual(HERE);
    expect(route({ ...facts, headers, redelivered: true })).toEqual(HERE);
  });

  it('believes no count that a caller wrote, outside of quarantine', () => {
    expect(route({ headers: { [QUARANTINE_STARTS]: 99 } })).toEqual(HERE);
    const headers = { [QUARANTINE_STARTS]: 99, 'x-delivery-count': 3 };
    expect(route({ headers })).toEqual(HERE);
    expect(route({ headers, redelivered: true })).toEqual(toQuarantine(1));
  });
});
