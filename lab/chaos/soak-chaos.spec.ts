import { expect, it } from '@jest/globals';

import { isGrowing, type Sample } from './soak-chaos.ts';

/** A look each two seconds at a heap that is collected every 50 s. */
const samplesOf = (more: (seconds: number) => Partial<Sample>, seconds = 600): Sample[] =>
  Array.from({ length: seconds / 2 }, (_, look) => {
    const atSeconds = 2 * look;
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

it.each<[string, boolean, Sample[]]>([
  ['does not grow if the memory rises and falls back', false, samplesOf(() => ({}))],
  ['does not grow if it did so at first', false, samplesOf((at) => ({ outsideHeapMib: Math.min(at, 85) }))],
  ['grows by a leak of a MiB a minute beneath the collections', true, samplesOf(leak)],
  ['grows outside of the heap', true, samplesOf((at) => ({ outsideHeapMib: 100 + at / 20 }))],
  ['grows by its open files', true, samplesOf((at) => ({ openFiles: 30 + at / 10 }))],
  ['is not known to grow in a short run', false, samplesOf(leak, 120)],
])('a worker %s', (_, expected, samples) => expect(isGrowing(samples)).toBe(expected));
