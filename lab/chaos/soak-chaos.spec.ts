import { expect, it } from '@jest/globals';

import { growthIn, type Sample } from './soak-chaos.ts';

/** Returns a sample every two seconds of a heap that is collected every 50 s. */
const samplesOf = (more: (seconds: number) => Partial<Sample>, seconds = 600): Sample[] =>
  Array.from({ length: seconds / 2 }, (_, index) => {
    const atSeconds = 2 * index;
    return {
      atSeconds,
      inUseMib: sawtooth(atSeconds),
      outsideHeapMib: 100,
      openFiles: 30,
      ...more(atSeconds),
    };
  });
const sawtooth = (seconds: number): number => 40 + (seconds % 50) / 2 + Math.sin(seconds);
const leak = (seconds: number) => ({ inUseMib: sawtooth(seconds) + seconds / 60 });

/** Returns deterministic noise from 0 to 1. */
const noise = (seconds: number): number => Math.abs((Math.sin(seconds * 12.9898) * 43_758.5453) % 1);

it.each<[string, RegExp | undefined, Sample[]]>([
  ['ignores memory that rises and falls back', undefined, samplesOf(() => ({}))],
  [
    'ignores growth that ends with the warm-up',
    undefined,
    samplesOf((at) => ({ outsideHeapMib: Math.min(at, 85) })),
  ],
  [
    'ignores floors that depend on the commands in flight at the collection',
    undefined,
    samplesOf((at) => ({ inUseMib: sawtooth(at) + 12 * noise(Math.floor(at / 50)) })),
  ],
  ['ignores a single step', undefined, samplesOf((at) => ({ inUseMib: sawtooth(at) + (at > 500 ? 9 : 0) }))],
  [
    'reports a leak of a MiB a minute beneath the collections',
    /^MiB in use grew by [678]: .* 41, /,
    samplesOf(leak),
  ],
  [
    'reports growth outside of the heap',
    /^MiB outside/,
    samplesOf((at) => ({ outsideHeapMib: 100 + at / 20 })),
  ],
  ['reports open files', /^open files grew by/, samplesOf((at) => ({ openFiles: 30 + at / 10 }))],
  ['ignores a leak in a short run', undefined, samplesOf(leak, 240)],
])('growthIn %s', (_, expected, samples) => {
  const growth = growthIn(samples);
  expect(growth).toEqual(expected ? [expect.stringMatching(expected)] : []);
});
