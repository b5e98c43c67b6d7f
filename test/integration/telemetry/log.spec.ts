import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';

import { describe, expect, it } from '@jest/globals';

import { root } from '../../../scripts/root.ts';

const LINES = 3_000;
/** Logs a line, many if it is asked to, and another one at its end, which comes when its standard input does. */
const PROGRAM = `
  import { createLogger } from '#telemetry';
  const logger = createLogger('info');
  logger.info('first');
  for (let left = Number(process.argv[1]); left > 0; left -= 1) {
    logger.info('again '.repeat(50));
    await new Promise(setImmediate);
  }
  setTimeout(() => console.error('running'), 200);
  process.stdin.on('end', () => {
    logger.info('last');
    process.exit(0);
  }).resume();
`;

function run(output: 'pipe' | number, lines = 0): ChildProcess {
  const args = ['--conditions=@poker-bridge/source', '--input-type=module', '--eval', PROGRAM, String(lines)];
  return spawn(process.execPath, args, { cwd: root, stdio: ['pipe', output, 'pipe'] });
}

async function end(program: ChildProcess): Promise<unknown> {
  const exited = once(program, 'exit', { signal: AbortSignal.timeout(10_000) });
  program.stdin?.end();
  const [code] = (await exited.finally(() => program.kill('SIGKILL'))) as unknown[];
  return code;
}

describe('the log on standard output', () => {
  it('has all lines when the process ends', async () => {
    const program = run('pipe');
    let text = '';
    program.stdout?.on('data', (data) => (text += String(data)));
    await once(program.stderr!, 'data');
    expect(await end(program)).toBe(0);
    expect(text).toMatch(/first.*\n.*last.*\n$/);
  });

  it('gathers what is logged during a write, too', async () => {
    const program = run('pipe', LINES);
    const pieces: string[] = [];
    program.stdout?.on('data', (data) => pieces.push(String(data)));
    await once(program.stderr!, 'data');
    await end(program);
    expect(pieces.join('').match(/again/g)).toHaveLength(50 * LINES);
    expect(pieces.length).toBeLessThan(LINES / 25);
  });

  it('lets the process run and end while its disk is full', async () => {
    const program = run(openSync('/dev/full', 'w'));
    await once(program.stderr!, 'data');
    expect(await end(program)).toBe(0);
  });

  it('lets the process end if its reader goes just before', async () => {
    const program = run('pipe');
    program.stdout?.resume();
    await once(program.stderr!, 'data');
    program.stdout?.destroy();
    expect(await end(program)).toBe(0);
  });
});
