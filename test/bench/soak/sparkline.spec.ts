import { expect, it } from '@jest/globals';

import { sparkline } from './sparkline.ts';

it.each([
  ['from the smallest to the largest', [0, 7, 3.4, 7], 10, '▁█▄█'],
  ['all the same', [5, 5], 10, '▁▁'],
  ['the largest of each part', [0, 1, 0, 9, 0, 0, 0, 0], 4, '▂█▁▁'],
  ['nothing', [], 10, ''],
])('sparkline: %s', (_, values, width, expected) => {
  expect(sparkline(values, width)).toBe(expected);
});
