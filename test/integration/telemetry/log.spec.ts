import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';

import { describe, expect, it } from '@jest/globals';

import { root } from '../../../scripts/root.ts';
import { until } from '../../support/until.ts';

const MIB = 1024 * 1024;
const LIMIT_MIB = 16;
const LOGGED_MIB = 256;
const LINES = 3_000;
const FLAGS = ['--expose-gc', '--conditions=@poker-bridge/source', '--input-type=module', '--eval'];

/**
 * Runs a program that has a logger, reports when it is running, and logs a last line when its standard input
 * ends.
 */
function run(program: string, output: 'pipe' | number = 'pipe'): ChildProcess {
  const text = `
  import { createLogger } from '#telemetry';
  const logger = createLogger('info');
  const text = 'x'.repeat(1000);
  ${program}
  setTimeout(() => console.error('running'), 200);
  process.stdin.on('end', () => {
    logger.info('last');
    process.exit(0);
  }).resume();`;
  return spawn(process.execPath, [...FLAGS, text], { cwd: root, stdio: ['pipe', output, 'pipe'] });
}

async function end(program: ChildProcess): Promise<unknown> {
  const exited = once(program, 'exit', { signal: AbortSignal.timeout(10_000) });
  program.stdin?.end();
  const [code] = (await exited.finally(() => program.kill('SIGKILL'))) as unknown[];
  return code;
}

function read(program: ChildProcess): string[] {
  const pieces: string[] = [];
  program.stdout?.on('data', (data) => pieces.push(String(data)));
  return pieces;
}

describe('the log on standard output', () => {
  it('contains all lines after the process has exited', async () => {
    const program = run("logger.info('first')");
    const pieces = read(program);
    await once(program.stderr!, 'data');
    expect(await end(program)).toBe(0);
    expect(pieces.join('')).toMatch(/first.*\n.*last.*\n$/);
  });

  it('batches lines that are logged during a write', async () => {
    const program = run(`for (let left = ${LINES}; left > 0; left -= 1) {
      logger.info('again '.repeat(50));
      await new Promise(setImmediate);
    }`);
    const pieces = read(program);
    await once(program.stderr!, 'data');
    await end(program);
    expect(pieces.join('').match(/again/g)).toHaveLength(50 * LINES);
    expect(pieces.length).toBeLessThan(LINES / 25);
  });

  it('does not block the process or its exit while the disk is full', async () => {
    const program = run("logger.info('first')", openSync('/dev/full', 'w'));
    await once(program.stderr!, 'data');
    expect(await end(program)).toBe(0);
  });

  it('does not block the exit of the process if its reader disconnects just before', async () => {
    const program = run("logger.info('first')");
    program.stdout?.resume();
    await once(program.stderr!, 'data');
    program.stdout?.destroy();
    expect(await end(program)).toBe(0);
  });

  it('keeps 16 MiB at most while nobody reads it, and does not stop the process', async () => {
    const program = run(`globalThis.gc();
    const before = process.memoryUsage().heapUsed;
    for (let mib = 0; mib < ${LOGGED_MIB}; mib += 1) {
      for (let line = 0; line < 1024; line += 1) logger.info({ text }, 'a line');
      await new Promise(setImmediate);
    }
    globalThis.gc();
    console.error(process.memoryUsage().heapUsed - before);`);
    const [bytes] = await once(program.stderr!, 'data');
    program.kill('SIGKILL');
    expect(Number(bytes) / MIB).toBeLessThan(2 * LIMIT_MIB);
  });

  it('is written completely after its reader has paused, even without a further line', async () => {
    // With the stream of Node.js in use, the pipe takes a part, or nothing, instead of blocking.
    const program = run(`void process.stdout;
    for (let line = 0; line < 1024; line += 1) logger.info({ text }, 'a line ' + line);`);
    await once(program.stderr!, 'data');
    const pieces = read(program);
    await until('the last line is there', () => pieces.join('').endsWith('"a line 1023"}\n')).finally(() =>
      program.kill(),
    );
  });
});
