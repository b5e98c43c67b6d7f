import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';

import { COMMAND_TYPES, ERROR_CODES, type ErrorCode, LANES } from '#contracts';
import type { CommandFacts } from '#messaging';
import { createLogger, type Logger, type LogLevel } from '#telemetry';

import { AnsweredLine } from './answered-line.ts';

const CODES = Object.keys(ERROR_CODES) as ErrorCode[];

/** Mostly texts that need no escaping, as in production. */
const text = fc.oneof(
  { weight: 8, arbitrary: fc.uuid() },
  fc.string(),
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.string({ unit: fc.constantFrom('a', ' ', '~', '"', '\\', '/', '\n', '\u0000', '\u001f', '\u007f') }),
  // Halves of surrogate pairs, as when a long name is cut.
  fc.string({ unit: fc.constantFrom('a', 'é', '\u2028', '\ud83d', '\ude00', '"', '\n'), maxLength: 150 }),
);
const number = fc.oneof(fc.nat(), fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }));
const digit = fc.constantFrom(...'0123456789abcdef');
const ALWAYS = {
  id: text,
  correlationId: text,
  type: fc.oneof(fc.constantFrom(...COMMAND_TYPES, 'unknown'), text),
  operator: text,
};
const TIMED = { lane: fc.constantFrom(...LANES), attempts: number, durationMs: number };
const subject = fc.stringMatching(/^[0-9a-f]{32}$/);
const traceId = fc.string({ unit: digit, minLength: 32, maxLength: 32 });
const facts: fc.Arbitrary<CommandFacts> = fc.oneof(
  fc.record({ ...ALWAYS, ...TIMED }),
  fc.record({ ...ALWAYS, subject, ...TIMED }),
  fc.record({ ...ALWAYS, ...TIMED, traceId }),
  fc.record({ ...ALWAYS, subject, ...TIMED, traceId }),
);
const failure = fc.option(
  fc.record({ status: fc.nat(), pointers: fc.array(text), reason: text }, { requiredKeys: ['reason'] }),
  { nil: undefined },
);
const outcome = fc.constantFrom('success' as const, ...CODES);

function writtenBy(act: (logger: Logger) => void, level: LogLevel = 'info'): string {
  const lines: string[] = [];
  act(createLogger(level, { write: (line) => lines.push(line) }));
  return lines.join('');
}

describe('AnsweredLine', () => {
  beforeAll(() => {
    jest.useFakeTimers({ now: 1_772_366_400_007 });
  });
  afterAll(() => {
    jest.useRealTimers();
  });

  it('is the line that the logger writes of these facts', () => {
    fc.assert(
      fc.property(facts, outcome, failure, (command, end, why) => {
        const line = writtenBy((logger) => new AnsweredLine(logger).write(command, end, why));
        expect(line).toBe(
          writtenBy((logger) => logger.info({ ...command, outcome: end, ...why }, 'command answered')),
        );
      }),
      { numRuns: 1_000 },
    );
  });

  it.each([
    ['warn', 0],
    ['silent', 0],
    ['info', 1],
    ['trace', 1],
  ] as const)('at %s is written %i times', (level, times) => {
    const [command] = fc.sample(facts, 1) as [CommandFacts];
    const lines = writtenBy((logger) => new AnsweredLine(logger).write(command, 'success'), level);
    expect(lines.split('\n')).toHaveLength(times + 1);
  });

  it('is the line that a child logger writes', () => {
    const [command] = fc.sample(facts, 1) as [CommandFacts];
    const line = writtenBy((logger) =>
      new AnsweredLine(logger.child({ from: 'here' })).write(command, 'success'),
    );
    expect(JSON.parse(line)).toMatchObject({ from: 'here', id: command.id, msg: 'command answered' });
  });
});
