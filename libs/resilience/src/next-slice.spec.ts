import { setImmediate as turn } from 'node:timers/promises';

import { expect, it } from '@jest/globals';

import { nextSlice } from './next-slice.ts';

it('does one slice a turn, of all who wait in turn', async () => {
  const slices: string[] = [];
  const work = async (name: string): Promise<void> => {
    for (let slice = 0; slice < 3; slice += 1) {
      await nextSlice();
      slices.push(name);
    }
  };
  const done = Promise.all([work('a'), work('b')]);
  const counts: number[] = [];
  while (slices.length < 6) {
    await turn();
    counts.push(slices.length);
  }
  await done;
  expect(slices).toEqual(['a', 'b', 'a', 'b', 'a', 'b']);
  const steps = counts.map((count, index) => count - (counts[index - 1] ?? 0));
  expect(Math.max(...steps)).toBe(1);
});
