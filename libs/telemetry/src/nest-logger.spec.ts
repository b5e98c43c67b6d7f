import { describe, expect, it } from '@jest/globals';

import { createLogger } from './logger.ts';
import { NestLogger } from './nest-logger.ts';

function logged(write: (logger: NestLogger) => void): Record<string, unknown>[] {
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
    expect(logged((logger) => logger[method]('a line'))).toMatchObject([
      { level, msg: 'a line', from: 'nest' },
    ]);
  });

  it('describes an error without what it quotes', () => {
    const lines = logged((logger) => logger.error(new TypeError('CANARY')));
    expect(lines).toMatchObject([{ level: 'error', err: { name: 'TypeError' } }]);
    expect(JSON.stringify(lines)).not.toContain('CANARY');
  });
});
