import { expect, it } from '@jest/globals';
import { clock } from './clock.ts';

it.each([
  [0, '0:00'],
  [1, '0:01'],
  [59_000, '0:59'],
  [300_000, '5:00'],
  [3_599_001, '1:00:00'],
  [3_725_000, '1:02:05'],
  [360_000_000, '100:00:00'],
])('%d ms are %s', (ms, text) => {
  expect(clock(ms)).toBe(text);
});
