import { afterEach, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';

import { timeMember } from './time-member.ts';

/** Up to the last valid date, without years that need a sign. */
const time = fc.integer({ min: -8_640_000_000_000_000, max: 8_640_000_000_000_000 });
/** Forwards and backwards, mostly within a second or about its end. */
const step = fc.oneof(fc.integer({ min: -1_500, max: 1_500 }), fc.constantFrom(0, 1, 9, 99, 999, 1_000));

afterEach(() => {
  jest.restoreAllMocks();
});

describe('timeMember', () => {
  it('is the ISO time, whatever it was before', () => {
    fc.assert(
      fc.property(time, fc.array(step), (start, steps) => {
        let nowMs = start;
        for (const each of [0, ...steps]) {
          nowMs = Math.min(8_640_000_000_000_000, Math.max(-8_640_000_000_000_000, nowMs + each));
          jest.spyOn(Date, 'now').mockReturnValue(nowMs);
          expect(timeMember()).toBe(`,"time":"${new Date(nowMs).toISOString()}"`);
        }
      }),
    );
  });

  it.each([0, 7, 42, 999, 1_000])('is the ISO time %i ms after the epoch', (nowMs) => {
    jest.spyOn(Date, 'now').mockReturnValue(nowMs);
    expect(timeMember()).toBe(`,"time":"${new Date(nowMs).toISOString()}"`);
  });
});
