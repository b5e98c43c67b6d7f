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
  it('is flat if the memory rises and falls back', () => {
    expect(memoryVerdict(samplesOf(sawtooth)).isFlat).toBe(true);
  });

  it('does not count the warm-up', () => {
    expect(memoryVerdict(samplesOf((seconds) => sawtooth(seconds) + Math.min(seconds, 85) / 10)).isFlat).toBe(
      true,
    );
  });

  it('finds a leak of a tenth of a MiB in six seconds beneath it, and its rate', () => {
    const { isFlat, inUse } = memoryVerdict(samplesOf((seconds) => sawtooth(seconds) + seconds / 60));
    expect(isFlat).toBe(false);
    expect(inUse.slope).toBeGreaterThan(50);
    expect(inUse.slope).toBeLessThan(70);
  });

  it('finds growth outside of the heap', () => {
    const { isFlat, outsideHeap } = memoryVerdict(samplesOf(sawtooth, 600, (seconds) => 100 + seconds / 60));
    expect(isFlat).toBe(false);
    expect(outsideHeap.slope).toBeCloseTo(60);
  });

  it('has no verdict on a short run', () => {
    expect(memoryVerdict(samplesOf(sawtooth, 120)).isFlat).toBeUndefined();
  });
});
