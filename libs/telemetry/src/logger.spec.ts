import { createHmac } from 'node:crypto';

import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';

import {
  createLogger,
  isPlainText,
  lineWriter,
  LOG_LEVELS,
  type Logger,
  type LogLevel,
  NestLogger,
  subjectOf,
  timeMember,
} from './logger.ts';

const CANARY = 'CANARY';

function logged(write: (logger: ReturnType<typeof createLogger>) => void, level: LogLevel = 'trace') {
  const lines: string[] = [];
  write(createLogger(level, { write: (line) => lines.push(line) }));
  return { text: lines.join(''), lines: lines.map((line) => JSON.parse(line) as Record<string, unknown>) };
}

function syntaxError(): unknown {
  try {
    return JSON.parse(`{"auth":${CANARY}}`);
  } catch (error) {
    return error;
  }
}

describe('createLogger', () => {
  it('writes one JSON object a line, with an ISO time and the name of the level', () => {
    const { text, lines } = logged((logger) => logger.info({ id: 'm-1', attempts: 2 }, 'command answered'));
    expect(text.endsWith('\n')).toBe(true);
    expect(lines).toEqual([
      {
        level: 'info',
        time: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/),
        id: 'm-1',
        attempts: 2,
        msg: 'command answered',
      },
    ]);
  });

  it.each([
    ['under err', (error: unknown) => ({ err: error })],
    ['under cause', (error: unknown) => ({ cause: error })],
    ['as the cause of an error', (cause: unknown) => ({ err: new Error('wrapped', { cause }) })],
  ])('shows nothing of what an error quotes: %s', (_, bindings) => {
    const error = syntaxError();
    expect(String(error)).toContain(CANARY);
    const { text, lines } = logged((logger) => {
      logger.error(bindings(error), 'failed');
      logger.error(bindings(error));
      logger.child({ from: 'nest' }).error(bindings(error));
    });
    expect(lines).toHaveLength(3);
    expect(text).toContain('SyntaxError');
    expect(text).not.toContain(CANARY);
  });

  it('shows nothing of it if only the error is logged', () => {
    const { text, lines } = logged((logger) => {
      logger.error(syntaxError());
      logger.error(syntaxError() as Error, 'failed');
    });
    expect(lines).toMatchObject([
      { err: { name: 'SyntaxError' } },
      { err: { name: 'SyntaxError' }, msg: 'failed' },
    ]);
    expect(text).not.toContain(CANARY);
  });

  it('shows a thrown string only as a string', () => {
    expect(logged((logger) => logger.error({ cause: CANARY }, 'failed')).lines).toMatchObject([
      { cause: { name: 'string' } },
    ]);
  });

  it('writes a line with only a message, and one with only fields', () => {
    const { lines } = logged((logger) => {
      logger.info('worker stopped');
      logger.info({ id: 'm-1' });
    });
    expect(lines).toMatchObject([{ msg: 'worker stopped' }, { id: 'm-1' }]);
  });

  it.each(LOG_LEVELS.slice(1).map((level, index) => [level, index] as const))(
    'at %s writes lines of that level and more severe ones',
    (level, index) => {
      const graver = LOG_LEVELS.slice(1);
      const { lines } = logged((logger) => {
        for (const each of graver) if (each !== 'silent') logger[each]('line');
      }, level);
      expect(lines.map((line) => line['level'])).toEqual(graver.slice(0, index + 1));
    },
  );

  it('writes nothing if it is silent', () => {
    expect(logged((logger) => logger.fatal('line'), 'silent').lines).toEqual([]);
  });
});

function nestLogged(write: (logger: NestLogger) => void): Record<string, unknown>[] {
  const lines: string[] = [];
  write(new NestLogger(createLogger('trace', { write: (line) => lines.push(line) })));
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe('NestLogger', () => {
  it.each([
    ['log', 'debug'],
    ['warn', 'warn'],
    ['error', 'error'],
    ['debug', 'trace'],
    ['verbose', 'trace'],
  ] as const)("writes Nest's %s as %s", (method, level) => {
    expect(nestLogged((logger) => logger[method]('a line'))).toMatchObject([
      { level, msg: 'a line', from: 'nest' },
    ]);
  });

  it('describes an error without what it quotes', () => {
    const lines = nestLogged((logger) => logger.error(new TypeError('CANARY')));
    expect(lines).toMatchObject([{ level: 'error', err: { name: 'TypeError' } }]);
    expect(JSON.stringify(lines)).not.toContain('CANARY');
  });
});

describe('time member', () => {
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
});

const KEY = 'k'.repeat(32);

describe('subjectOf', () => {
  it('is the beginning of an HMAC of operator and player', () => {
    const whole = createHmac('sha256', KEY).update('["default","p-1"]').digest('hex');
    expect(subjectOf(KEY, 'default', 'p-1')).toBe(whole.slice(0, 32));
  });

  it('differs by key, operator and player', () => {
    const subjects = [
      subjectOf(KEY, 'a', 'b'),
      subjectOf('l'.repeat(32), 'a', 'b'),
      subjectOf(KEY, 'b', 'a'),
      subjectOf(KEY, 'a","b', ''),
      subjectOf(KEY, 'ab', ''),
    ];
    expect(new Set(subjects).size).toBe(subjects.length);
  });
});

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
