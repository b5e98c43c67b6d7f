import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from '@jest/globals';

import { root } from '../../../scripts/root.ts';
import { freePorts } from '../../../scripts/network.ts';
import { Program } from '../../../scripts/processes/program.ts';
import { type TemporaryFolder, temporaryFolder } from '../../support/temporary-folder.ts';
import { until } from '../../support/until.ts';
import { isAlive } from '../../../scripts/launcher/with-lock.mjs';

const inScripts = (path: string): string => JSON.stringify(join(root, 'scripts', path));

describe('a program', () => {
  /**
   * A program that starts `sleep` and a child of it as a program of its own, which has a folder, and prints
   * both process ids.
   */
  function parent(folder: TemporaryFolder): Program {
    const owned = join(folder.path, 'owned');
    mkdirSync(owned);
    const file = folder.write(
      'parent.mts',
      `import { Program } from ${inScripts('processes/program.ts')};
       const awake = setInterval(() => undefined, 1_000);
       // Before the program can say anything.
       process.once('SIGUSR2', async () => {
         await program[Symbol.asyncDispose]();
         clearInterval(awake);
       });
       const sleeper = ['-c', 'sleep 1000 & echo pids $$ $!.; wait'];
       const options = { folder: ${JSON.stringify(owned)}, isShown: true };
       const program = new Program('/bin/sh', sleeper, undefined, options);`,
    );
    return new Program(process.execPath, ['--disable-warning=ExperimentalWarning', file]);
  }

  it.concurrent.each([
    ['SIGKILL ends the process that started it', 'SIGKILL', null],
    ['SIGTERM ends the process that started it', 'SIGTERM', null],
    ['SIGINT ends the process that started it', 'SIGINT', null],
    ['it is disposed of', 'SIGUSR2', 0],
  ] as const)('ends with its children and its folder when %s', async (_, signal, code) => {
    using folder = temporaryFolder();
    await using program = parent(folder);
    const pids = (await program.says(/pids (\d+ \d+)\./)).split(' ').map(Number);
    for (const pid of pids) expect(isAlive(pid)).toBe(true);
    program.kill(signal);
    expect(await program.result).toMatchObject({ code });
    const isGone = () => pids.every((pid) => !isAlive(pid)) && !existsSync(join(folder.path, 'owned'));
    await until('nothing of it is left', isGone);
  });
});

describe('with lock', () => {
  /**
   * A program that holds the lock until `mayRelease` is called, and reports when it acquired and released it.
   */
  function holder(folder: TemporaryFolder, name: string): Program {
    const inFolder = (file: string): string => JSON.stringify(join(folder.path, file));
    const file = folder.write(
      `${name}.mjs`,
      `import { existsSync } from 'node:fs';
       import { withLock } from ${inScripts('launcher/with-lock.mjs')};
       await withLock(${inFolder('lock')}, async () => {
         console.log('from ' + Date.now());
         while (!existsSync(${inFolder(`${name}.release`)})) {
           await new Promise((resolve) => setTimeout(resolve, 10));
         }
         console.log('until ' + Date.now());
       });`,
    );
    return new Program(process.execPath, [file]);
  }

  const mayRelease = (folder: TemporaryFolder, name: string) => folder.write(`${name}.release`, '');

  it.concurrent('two processes that request a lock at once acquire it one after the other', async () => {
    using folder = temporaryFolder();
    await using first = holder(folder, 'first');
    await first.says(/from (\d+)/);
    mayRelease(folder, 'second');
    await using second = holder(folder, 'second');
    await until('the second waits', () => second.stderr.includes('waiting for process'));
    mayRelease(folder, 'first');
    const [before, after] = await Promise.all([first.result, second.result]);
    const releasedAtMs = Number(/until (\d+)/.exec(before.stdout)?.[1]);
    expect(Number(/from (\d+)/.exec(after.stdout)?.[1])).toBeGreaterThanOrEqual(releasedAtMs);
    expect(existsSync(join(folder.path, 'lock'))).toBe(false);
  });

  it.concurrent('a lock is taken over from a process that has died', async () => {
    using folder = temporaryFolder();
    {
      await using killed = holder(folder, 'killed');
      await killed.says(/from (\d+)/);
    }
    expect(existsSync(join(folder.path, 'lock'))).toBe(true);
    mayRelease(folder, 'next');
    await using next = holder(folder, 'next');
    expect(await next.result).toMatchObject({ code: 0, stderr: '' });
  });
});

describe('a task that the launcher runs', () => {
  const TASK = `
if (process.argv[2] === 'exit') process.exit(Number(process.argv[3]));
if (process.argv[2] === 'finish') process.on('SIGTERM', () => { console.log('finished'); process.exit(0); });
setInterval(() => undefined, 1_000);
console.log('ready ' + process.argv.slice(2).join(' ') + '.');
`;

  /**
   * Node.js 20 starts the task as a child, a newer one replaces itself by it; the one that is made for the
   * tasks runs it.
   */
  const WAYS: readonly (readonly [name: string, isMadeForTasks: boolean, flags: readonly string[]])[] = [
    ['as a child', false, ['--import', 'data:text/javascript,process.execve=undefined']],
    ['in its own place', false, []],
    ['within itself', true, []],
  ];

  describe.each(WAYS)('%s', (_, isMadeForTasks, flags) => {
    /** Runs the launcher's last step as the launcher does. */
    function launch(folder: TemporaryFolder, ...args: string[]): Program {
      const node = isMadeForTasks ? process.execPath : join(folder.path, 'node');
      if (!isMadeForTasks) symlinkSync(process.execPath, node);
      const launcher = folder.write(
        'launcher.mjs',
        `import { startTask } from ${inScripts('launcher/launch.mjs')};
         const task = ${JSON.stringify(folder.write('task.mjs', TASK))};
         await startTask(${JSON.stringify(node)}, task, process.argv.slice(2));`,
      );
      return new Program(process.execPath, [...flags, launcher, ...args]);
    }

    it.concurrent.each([0, 78])('gets its arguments, and passes on its exit code %i', async (code) => {
      using folder = temporaryFolder();
      await using program = launch(folder, 'exit', String(code));
      expect(await program.result).toMatchObject({ code });
    });

    it.concurrent('gets the stop signal, and chooses its exit code', async () => {
      using folder = temporaryFolder();
      await using program = launch(folder, 'finish');
      await program.says(/(ready)/);
      program.kill('SIGTERM');
      // Its output is still available after its folder has been removed.
      await program.exited.then(() => program[Symbol.asyncDispose]());
      expect(await program.result).toMatchObject({ code: 0, stdout: expect.stringContaining('finished') });
    });

    it.concurrent.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
      'passes on that %s has ended it',
      async (signal) => {
        using folder = temporaryFolder();
        await using program = launch(folder, 'wait');
        await program.says(/(ready)/);
        program.kill(signal);
        expect(await program.result).toMatchObject({ code: null, signal });
      },
    );
  });
});

it('a free port, and the one that a Redis in cluster mode adds, are not given to outgoing connections', async () => {
  expect(Math.max(...(await freePorts(50))) + 10_000).toBeLessThan(32_768);
});

it.concurrent('the launcher names the existing tasks', async () => {
  await using program = new Program(process.execPath, [join(root, 'scripts/run.mjs'), 'nothing']);
  const { code, stderr } = await program.result;
  expect(code).toBe(2);
  expect(stderr).toMatch(/one of: .*broker.*build.*check.*demo.*sandbox.*test.*worker/);
});
