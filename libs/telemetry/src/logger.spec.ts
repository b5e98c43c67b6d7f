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
    ['as all that is logged', (error: unknown) => error],
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

  it('writes a line with only a message, and one with only fields', () => {
    const { lines } = logged((logger) => {
      logger.info('worker stopped');
      logger.info({ id: 'm-1' });
    });
    expect(lines).toMatchObject([{ msg: 'worker stopped' }, { id: 'm-1' }]);
  });
});

describe('nestLogger', () => {
  it('writes what Nest says of its start for debugging alone', () => {
    const { lines } = logged((logger) => nestLogger(logger).log('a line'));
    expect(lines).toMatchObject([{ level: 'debug', msg: 'a line', from: 'nest' }]);
  });

  it('describes an error without what it quotes', () => {
    const { text, lines } = logged((logger) => nestLogger(logger).error(new TypeError(CANARY)));
    expect(lines).toMatchObject([{ level: 'error', err: { name: 'TypeError' } }]);
    expect(text).not.toContain(CANARY);
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
