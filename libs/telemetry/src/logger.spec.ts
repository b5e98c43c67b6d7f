import { describe, expect, it } from '@jest/globals';

import { createLogger, LOG_LEVELS, type LogLevel } from './logger.ts';

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
