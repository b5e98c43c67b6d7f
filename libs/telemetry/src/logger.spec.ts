import { createHmac } from 'node:crypto';

import { describe, expect, it } from '@jest/globals';

import { createLogger, nestLogger, subjectOf } from './logger.ts';

const CANARY = 'CANARY';

function logged(write: (logger: ReturnType<typeof createLogger>) => void) {
  const lines: string[] = [];
  write(createLogger('trace', { write: (line) => lines.push(line) }));
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
  it('writes one JSON object per line, with an ISO time and a level name', () => {
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
    ['as the only argument', (error: unknown) => error],
  ])('logs no data that an error quotes: %s', (_, bindings) => {
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

  it('writes a line with only a message, and a line with only fields', () => {
    const { lines } = logged((logger) => {
      logger.info('worker stopped');
      logger.info({ id: 'm-1' });
    });
    expect(lines).toMatchObject([{ msg: 'worker stopped' }, { id: 'm-1' }]);
  });
});

describe('nestLogger', () => {
  it("logs Nest's startup messages at debug level", () => {
    const { lines } = logged((logger) => nestLogger(logger).log('a line'));
    expect(lines).toMatchObject([{ level: 'debug', msg: 'a line', from: 'nest' }]);
  });

  it('describes an error without the data that it quotes', () => {
    const { text, lines } = logged((logger) => nestLogger(logger).error(new TypeError(CANARY)));
    expect(lines).toMatchObject([{ level: 'error', err: { name: 'TypeError' } }]);
    expect(text).not.toContain(CANARY);
  });
});

const KEY = 'k'.repeat(32);

describe('subjectOf', () => {
  it('returns the first 128 bits of an HMAC of operator and player', () => {
    const whole = createHmac('sha256', KEY).update('["default","p-1"]').digest('hex');
    expect(subjectOf(KEY, 'default', 'p-1')).toBe(whole.slice(0, 32));
  });

  it('returns different values for different keys, operators and players', () => {
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
