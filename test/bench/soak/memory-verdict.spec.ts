import { describe, expect, it } from '@jest/globals';

import { memoryVerdict } from './memory-verdict.ts';
import type { SoakSample } from './soak-sample.ts';

/** A look a second for ten minutes at a heap that is collected every 10 s. */
const verdictOf = (mibAt: (seconds: number) => number) =>
  memoryVerdict(
    Array.from({ length: 600 }, (_, atSeconds) => ({ atSeconds, rssMib: mibAt(atSeconds) }) as SoakSample),
    ({ rssMib }) => rssMib,
  );
const sawtooth = (seconds: number) => 40 + 3 * (seconds % 10) + Math.sin(seconds);

describe('memoryVerdict', () => {
  it('calls flat what rises and falls back', () => {
    expect(verdictOf(sawtooth).isFlat).toBe(true);
  });

  it('does not count the warm-up', () => {
    expect(verdictOf((seconds) => sawtooth(seconds) + Math.min(seconds, 85)).isFlat).toBe(true);
  });

  it('finds a leak of a tenth of a MiB a minute beneath it, and tells how fast it is', () => {
    const { isFlat, trend } = verdictOf((seconds) => sawtooth(seconds) + seconds / 600);
    expect(isFlat).toBe(false);
    expect(trend.slope).toBeGreaterThan(5);
    expect(trend.slope).toBeLessThan(7);
  });
});
