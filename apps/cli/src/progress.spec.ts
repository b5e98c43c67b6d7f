import { stripVTControlCharacters } from 'node:util';

import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

import { Progress } from './progress.ts';

const TERMINAL = { TERM: 'xterm' };

/** What a terminal of some width shows after all that was written; null for what is no terminal. */
function shownOn(columns: number | null, environment: NodeJS.ProcessEnv = TERMINAL) {
  const written: string[] = [];
  const stream = {
    write: (text: string | Uint8Array) => written.push(String(text)) > 0,
    ...(columns !== null && { isTTY: true, columns }),
  };
  return { written, options: { stream, environment } };
}

describe('Progress', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());
  const pass = (ms: number): void => jest.advanceTimersByTime(ms);

  it.each([
    [80, '\r[===============               ] 50 of 100 records, 50 a second, 1 s left\u001b[K'],
    [50, '\r[===   ] 50 of 100 records, 50 a second, 1 s left'],
    [30, '\r50 of 100 records, 50 a secon\u001b[K'],
  ])('fits a terminal of %i columns', (columns, expected) => {
    const { written, options } = shownOn(columns);
    const progress = new Progress('records', { total: 100, ...options });
    pass(1_000);
    progress.add(50);
    expect(written.join('')).toContain(expected.slice(0, columns));
    expect(stripVTControlCharacters(written.join('')).trim().length).toBeLessThan(columns);
  });

  it('has no bar as long as nobody knows how many there will be', () => {
    const { written, options } = shownOn(80);
    const progress = new Progress('records', options);
    pass(1_000);
    progress.add(7);
    expect(written).toEqual(['\r7 records, 7 a second\u001b[K']);
  });

  it('counts what an earlier run has done, and not its speed', () => {
    const { written, options } = shownOn(80);
    const progress = new Progress('records', { total: 100, before: 50, ...options });
    pass(1_000);
    progress.add(10);
    expect(written.join('')).toContain('60 of 100 records, 10 a second, 4 s left');
  });

  it('leaves nothing behind, and erases nothing that it has not written', () => {
    const { written, options } = shownOn(80);
    const progress = new Progress('records', options);
    progress.add(1);
    progress.end();
    expect(written).toEqual([]);
    pass(1_000);
    progress.add(1);
    progress.end();
    expect(written.at(-1)).toBe('\r\u001b[K');
  });

  it.each([
    ['a file', null, TERMINAL],
    ['the log of a build', 80, { TERM: 'xterm', CI: 'true' }],
    ['a terminal that cannot erase', 80, { TERM: 'dumb' }],
  ])('writes plain lines, and few, into %s', (_, columns, environment) => {
    const { written, options } = shownOn(columns, environment);
    const progress = new Progress('records', { total: 100, ...options });
    for (let seconds = 1; seconds <= 11; seconds += 1) {
      pass(1_000);
      progress.add(1);
    }
    progress.end();
    expect(written).toEqual([
      '5 of 100 records, 1 a second, 2 min left\n',
      '10 of 100 records, 1 a second, 2 min left\n',
    ]);
  });
});
