import { spawn } from 'node:child_process';
import { once } from 'node:events';

import { expect, it } from '@jest/globals';

import { root } from '../../../scripts/root.ts';

const MIB = 1024 * 1024;
const LIMIT_MIB = 16;
const LOGGED_MIB = 256;

/** Logs far more than is read, then prints how many bytes of it the process keeps. */
const PROGRAM = `
  import { createLogger } from '#telemetry';
  const logger = createLogger('info');
  const text = 'x'.repeat(1000);
  globalThis.gc();
  const before = process.memoryUsage().heapUsed;
  for (let mib = 0; mib < ${LOGGED_MIB}; mib += 1) {
    for (let line = 0; line < 1024; line += 1) logger.info({ text }, 'a line');
    await new Promise(setImmediate);
  }
  globalThis.gc();
  process.stderr.write(String(process.memoryUsage().heapUsed - before));
  // Not a clean exit, which would wait for a reader.
  process.kill(process.pid, 'SIGKILL');
`;

it('a log that is not read keeps 16 MiB at most, and does not stop the process', async () => {
  const child = spawn(process.execPath, ['--expose-gc', '--input-type=module', '--eval', PROGRAM], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  // Its output is not read, so that the pipe fills up.
  await once(child, 'exit');
  expect(stderr).toMatch(/^\d+$/);
  expect(Number(stderr) / MIB).toBeLessThan(2 * LIMIT_MIB);
});
