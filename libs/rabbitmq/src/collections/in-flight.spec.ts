import { describe, expect, it } from '@jest/globals';

import { InFlight } from './in-flight.ts';

describe('InFlight', () => {
  it.each([
    [[], 'abcd'],
    [['a'], 'bcd'],
    [['d'], 'abc'],
    [['b', 'c'], 'ad'],
    [['c', 'b', 'a', 'd'], ''],
  ])('keeps the remaining items in order after removing %j', (leaving, left) => {
    const inFlight = new InFlight<string>();
    const places = new Map([...'abcd'].map((item) => [item, inFlight.add(item)]));
    expect(leaving.map((item) => inFlight.leave(places.get(item)!))).toEqual(leaving.map(() => true));
    expect(leaving.map((item) => inFlight.leave(places.get(item)!))).toEqual(leaving.map(() => false));
    inFlight.add('e');
    expect([...inFlight].map(({ item }) => item).join('')).toBe(`${left}e`);
    expect(inFlight.size).toBe(left.length + 1);
  });

  it('allows each item to be removed during iteration', () => {
    const inFlight = new InFlight<number>();
    for (const item of [1, 2, 3]) inFlight.add(item);
    for (const place of inFlight) inFlight.leave(place);
    expect([...inFlight]).toEqual([]);
  });
});
