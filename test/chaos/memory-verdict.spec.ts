import { describe, expect, it } from '@jest/globals';

import { memoryVerdict } from './memory-verdict.ts';

/** A look each two seconds at a heap that is collected every 50 s. */
const samplesOf = (
  mibAt: (seconds: number) => number,
  seconds = 600,
  outsideAt = (_seconds: number) => 100,
) =>
  Array.from({ length: seconds / 2 }, (_, look) => {
    const atSeconds = 2 * look;
    return { atSeconds, inUseMib: mibAt(atSeconds), outsideHeapMib: outsideAt(atSeconds) };
  });
const sawtooth = (seconds: number) => 40 + (seconds % 50) / 2 + Math.sin(seconds);

describe('memoryVerdict', () => {
  it.each<[string, boolean | undefined, ReturnType<typeof samplesOf>]>([
    ['flat if the memory rises and falls back', true, samplesOf(sawtooth)],
    [
      'flat if it only grows in the warm-up',
      true,
      samplesOf((seconds) => sawtooth(seconds) + Math.min(seconds, 85) / 10),
    ],
    [
      'not flat if it grows outside of the heap',
      false,
      samplesOf(sawtooth, 600, (seconds) => 100 + seconds / 60),
    ],
    ['undefined for a short run', undefined, samplesOf(sawtooth, 120)],
  ])('is %s', (_, expected, samples) => {
    expect(memoryVerdict(samples).isFlat).toBe(expected);
  });

  it('finds a leak of a tenth of a MiB in six seconds beneath it, and its rate', () => {
    const { isFlat, inUse } = memoryVerdict(samplesOf((seconds) => sawtooth(seconds) + seconds / 60));
    expect(isFlat).toBe(false);
    expect(inUse.slope).toBeGreaterThan(50);
    expect(inUse.slope).toBeLessThan(70);
  });
});
