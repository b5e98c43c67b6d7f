import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

import { Progress } from './progress.ts';

/** Progress on a terminal with this many columns, or, with null, on another stream. */
function progressOn(columns: number | null, total?: number, before = 0, variables: object = {}) {
  const written: string[] = [];
  const stream = {
    write: (text: string) => written.push(text) > 0,
    ...(columns !== null && { isTTY: true, columns }),
  } as typeof process.stderr;
  const progress = new Progress('records', total, before, stream, { TERM: 'xterm', ...variables });
  return { progress, written };
}

describe('Progress', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it.each([
    [80, [100], '\r[===============               ] 50 of 100 records, 50 a second, 1 s left\u001b[K'],
    [50, [100], '\r[===   ] 50 of 100 records, 50 a second, 1 s left\u001b[K'],
    [30, [100], '\r50 of 100 records, 50 a secon\u001b[K'],
    [80, [], '\r50 records, 50 a second\u001b[K'],
    // Records of an earlier run count, but not towards the speed.
    [70, [200, 50], `\r[${'='.repeat(13).padEnd(25)}] 100 of 200 records, 50 a second, 2 s left\u001b[K`],
  ])(
    'fits a terminal of %i columns with %j, and is erased at the end',
    (columns, [total, before], expected) => {
      const { progress, written } = progressOn(columns, total, before);
      jest.advanceTimersByTime(1_000);
      progress.add(50);
      progress.end();
      expect(written).toEqual([expected, '\r\u001b[K']);
    },
  );

  it.each([
    ['a file', null, {}],
    ['the log of a build', 80, { CI: 'true' }],
    ['a terminal that cannot erase', 80, { TERM: 'dumb' }],
  ])('writes a few plain lines to %s', (_, columns, variables) => {
    const { progress, written } = progressOn(columns, 100, 0, variables);
    for (let seconds = 1; seconds <= 6; seconds += 1) {
      jest.advanceTimersByTime(1_000);
      progress.add(1);
    }
    progress.end();
    expect(written).toEqual(['5 of 100 records, 1 a second, 2 min left\n']);
  });
});
