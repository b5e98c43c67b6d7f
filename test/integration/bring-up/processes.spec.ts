import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from '@jest/globals';

import { root } from '../../../scripts/root.ts';
import { Program } from '../../../scripts/processes/program.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { until } from '../../support/until.ts';
import { isAlive } from '../../../scripts/launcher/with-lock.mjs';

describe('a guarded command', () => {
  /** A program that starts `sleep` and a child of it under guard, and prints both process ids. */
  function parent(folder: string, first = ''): Program {
    mkdirSync(join(folder, 'owned'));
    const file = join(folder, 'parent.mts');
    writeFileSync(
      file,
      `import { GuardedCommand } from ${JSON.stringify(join(root, 'scripts/processes/guarded-command.ts'))};
     const awake = setInterval(() => undefined, 1_000);
     ${first}
     const command = new GuardedCommand('/bin/sh', ['-c', 'sleep 1000 & echo pids $$ $!.; wait'], {
       output: 'inherit',
       folder: ${JSON.stringify(join(folder, 'owned'))},
     });
     `,
    );
    return new Program(process.execPath, ['--disable-warning=ExperimentalWarning', file]);
  }

  async function pidsOf(program: Program): Promise<number[]> {
    const pids = (await program.says(/pids (\d+ \d+)\./)).split(' ').map(Number);
    for (const pid of pids) expect(isAlive(pid)).toBe(true);
    return pids;
  }

  it.concurrent.each(['SIGKILL', 'SIGTERM', 'SIGINT'] as const)(
    'ends with its children and its folder when %s ends the process that started it',
    async (signal) => {
      using folder = temporaryFolder();
      await using program = parent(folder.path);
      const pids = await pidsOf(program);
      program.child.kill(signal);
      await program.result;
      const isGone = () => pids.every((pid) => !isAlive(pid)) && !existsSync(join(folder.path, 'owned'));
      await until('nothing of it is left', isGone);
    },
  );

  it.concurrent('is gone when it is ended, and leaves its folder if asked to', async () => {
    using folder = temporaryFolder();
    await using program = parent(
      folder.path,
      // Before the command can say anything.
      `process.once('SIGUSR2', async () => {
         await command.end({ keepFolder: true });
         console.log('gone.');
         clearInterval(awake);
       });`,
    );
    const pids = await pidsOf(program);
    program.child.kill('SIGUSR2');
    await program.says(/(gone\.)/);
    // Both have the signal by then; on a busy machine they need some time to end.
    await until('both have ended', () => pids.every((pid) => !isAlive(pid)));
    expect(existsSync(join(folder.path, 'owned'))).toBe(true);
    expect(await program.result).toMatchObject({ code: 0 });
  });
});

describe('with lock', () => {
  /** A program that holds the lock until `mayRelease` is called, and reports when it acquired and released it. */
  function holder(folder: string, name: string): Program {
    const file = join(folder, `${name}.mjs`);
    writeFileSync(
      file,
      `import { existsSync } from 'node:fs';
     import { withLock } from ${JSON.stringify(join(root, 'scripts/launcher/with-lock.mjs'))};
     await withLock(${JSON.stringify(join(folder, 'lock'))}, async () => {
       console.log('from ' + Date.now());
       while (!existsSync(${JSON.stringify(releaseOf(folder, name))})) {
         await new Promise((resolve) => setTimeout(resolve, 10));
       }
       console.log('until ' + Date.now());
     });`,
    );
    return new Program(process.execPath, [file]);
  }

  const releaseOf = (folder: string, name: string) => join(folder, `${name}.release`);
  const mayRelease = (folder: string, name: string) => writeFileSync(releaseOf(folder, name), '');

  it.concurrent('two processes that want a lock at once get it one after the other', async () => {
    using folder = temporaryFolder();
    await using first = holder(folder.path, 'first');
    await first.says(/from (\d+)/);
    mayRelease(folder.path, 'second');
    await using second = holder(folder.path, 'second');
    await until('the second waits', () => second.stderr.includes('waiting for process'));
    mayRelease(folder.path, 'first');
    const [before, after] = await Promise.all([first.result, second.result]);
    const releasedAtMs = Number(/until (\d+)/.exec(before.stdout)?.[1]);
    expect(Number(/from (\d+)/.exec(after.stdout)?.[1])).toBeGreaterThanOrEqual(releasedAtMs);
    expect(existsSync(join(folder.path, 'lock'))).toBe(false);
  });

  it.concurrent('a lock is taken over from a process that has died', async () => {
    using folder = temporaryFolder();
    {
      await using killed = holder(folder.path, 'killed');
      await killed.says(/from (\d+)/);
    }
    expect(existsSync(join(folder.path, 'lock'))).toBe(true);
    mayRelease(folder.path, 'next');
    await using next = holder(folder.path, 'next');
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

  /** Node.js 20 starts the task as a child; a newer one replaces itself by the task. */
  const WAYS: readonly (readonly [name: string, flags: readonly string[]])[] = [
    ['as a child', ['--import', 'data:text/javascript,process.execve=undefined']],
    ['in its own place', []],
  ];

  describe.each(WAYS)('%s', (_, flags) => {
    /** Runs the launcher's last step as the launcher does. */
    function launch(folder: string, ...args: string[]): Program {
      const task = join(folder, 'task.mjs');
      const launcher = join(folder, 'launcher.mjs');
      writeFileSync(task, TASK);
      writeFileSync(
        launcher,
        `import { startTask } from ${JSON.stringify(join(root, 'scripts/launcher/launch.mjs'))};
       startTask(process.execPath, ${JSON.stringify(task)}, process.argv.slice(2));`,
      );
      return new Program(process.execPath, [...flags, launcher, ...args]);
    }

    it.concurrent.each([0, 78])('gets its arguments, and passes on its exit code %i', async (code) => {
      using folder = temporaryFolder();
      await using program = launch(folder.path, 'exit', String(code));
      expect(await program.result).toMatchObject({ code });
    });

    it.concurrent('gets the stop signal, and chooses its exit code', async () => {
      using folder = temporaryFolder();
      await using program = launch(folder.path, 'finish');
      await program.says(/(ready)/);
      program.child.kill('SIGTERM');
      expect(await program.result).toMatchObject({ code: 0, stdout: expect.stringContaining('finished') });
    });

    it.concurrent.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
      'passes on that %s has ended it',
      async (signal) => {
        using folder = temporaryFolder();
        await using program = launch(folder.path, 'wait');
        await program.says(/(ready)/);
        program.child.kill(signal);
        expect(await program.result).toMatchObject({ code: null, signal });
      },
    );
  });
});

it.concurrent('the launcher names the existing tasks', async () => {
  await using program = new Program(process.execPath, [join(root, 'scripts/run.mjs'), 'nothing']);
  const { code, stderr } = await program.result;
  expect(code).toBe(2);
  expect(stderr).toMatch(/one of: .*broker.*build.*check.*demo.*sandbox.*test.*worker/);
});
