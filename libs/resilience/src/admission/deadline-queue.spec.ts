import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { DeadlineQueue } from './deadline-queue.ts';

interface Item {
  readonly deadline: { readonly atMs: number };
  readonly order: number;
}

const items = fc
  .array(fc.integer({ min: 0, max: 9 }))
  .map((times) => times.map((atMs, order): Item => ({ deadline: { atMs }, order })));

describe('DeadlineQueue', () => {
  it('gives the earliest deadline first, and equal ones in the order of their arrival', () => {
    fc.assert(
      fc.property(items, (given) => {
        const queue = new DeadlineQueue<Item>();
        for (const item of given) queue.push(item);
        const taken = Array.from(given, () => queue.shift());
        const expected = given.toSorted((a, b) => a.deadline.atMs - b.deadline.atMs || a.order - b.order);
        expect(taken).toEqual(expected);
        expect(queue.size).toBe(0);
      }),
    );
  });

  it('gives the latest deadline from its end, and removes any item', () => {
    const [a, b, c] = [30, 10, 20].map((atMs, order) => ({ deadline: { atMs }, order })) as [
      Item,
      Item,
      Item,
    ];
    const queue = new DeadlineQueue<Item>();
    for (const item of [a, b, c]) queue.push(item);
    queue.remove(c);
    queue.remove(c);
    expect([queue.size, queue.pop(), queue.shift(), queue.shift()]).toEqual([2, a, b, undefined]);
  });
});
