import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';

import { isPlainText, lineWriter } from './line-writer.ts';
import { createLogger, LOG_LEVELS, type Logger } from './logger.ts';

const LEVELS = LOG_LEVELS.filter((level) => level !== 'silent');

function writtenBy(act: (logger: Logger) => void): string {
  const lines: string[] = [];
  act(createLogger('trace', { write: (line) => lines.push(line) }));
  return lines.join('');
}

describe('isPlainText', () => {
  it('is true only for printable ASCII that JSON does not escape', () => {
    const characters = Array.from({ length: 0x1_00_00 }, (_, code) => String.fromCharCode(code));
    const ascii = characters.slice(0, 0x7f);
    expect(characters.filter(isPlainText)).toEqual(
      ascii.filter((character) => JSON.stringify(character) === `"${character}"`),
    );
  });

  it('is true for a text if it is for each of its characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', '~', ' ', '"', '\\', '\n', 'é') }), (text) => {
        expect(isPlainText(text)).toBe([...text].every(isPlainText));
      }),
    );
  });
});

describe('lineWriter', () => {
  beforeAll(() => {
    jest.useFakeTimers({ now: 1_772_366_400_042 });
  });
  afterAll(() => {
    jest.useRealTimers();
  });

  it.each(LEVELS)('writes at %s what the logger writes', (level) => {
    const facts = { id: 'm-1', attempts: 2 };
    const line = writtenBy((logger) => lineWriter(logger, level, 'a line')?.('"id":"m-1","attempts":2'));
    expect(line).toBe(writtenBy((logger) => logger[level](facts, 'a line')));
  });

  it.each(LEVELS.map((level, index) => [level, index] as const))(
    'of a logger at %s writes that level and more severe ones',
    (level, index) => {
      const logger = createLogger(level, { write: () => undefined });
      const written = LEVELS.filter((each) => lineWriter(logger, each, 'a line') !== undefined);
      expect(written).toEqual(LEVELS.slice(0, index + 1));
    },
  );

  it('writes nothing for a child, whose lines have more members', () => {
    const logger = createLogger('info', { write: () => undefined }).child({ from: 'here' });
    expect(lineWriter(logger, 'info', 'a line')).toBeUndefined();
  });
});
