import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from '@jest/globals';

import { root } from '../../../scripts/root.ts';
import { Program } from '../../support/program.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

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

describe.each(WAYS)('a task that the launcher runs %s', (_, flags) => {
  /** Runs the launcher's last step as the launcher does. */
  function launch(folder: string, ...args: string[]): Program {
    const task = join(folder, 'task.mjs');
    const launcher = join(folder, 'launcher.mjs');
    writeFileSync(task, TASK);
    writeFileSync(
      launcher,
      `import { startTask } from ${JSON.stringify(join(root, 'scripts/launcher/start-task.mjs'))};
       startTask(process.execPath, ${JSON.stringify(task)}, process.argv.slice(2));`,
    );
    return new Program(process.execPath, [...flags, launcher, ...args]);
  }

  it('gets its arguments', async () => {
    using folder = temporaryFolder();
    await using program = launch(folder.path, 'a b', '--port', '1');

    expect(await program.says(/ready (.*)\./)).toBe('a b --port 1');
    program.child.kill('SIGTERM');
    await program.result;
  });

  it.each([0, 1, 78])('passes on its exit code %i', async (code) => {
    using folder = temporaryFolder();
    await using program = launch(folder.path, 'exit', String(code));

    expect(await program.result).toMatchObject({ code });
  });

  it('gets the stop signal, and chooses its exit code', async () => {
    using folder = temporaryFolder();
    await using program = launch(folder.path, 'finish');
    await program.says(/(ready)/);
    program.child.kill('SIGTERM');

    expect(await program.result).toMatchObject({ code: 0, stdout: expect.stringContaining('finished') });
  });

  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('passes on that %s has ended it', async (signal) => {
    using folder = temporaryFolder();
    await using program = launch(folder.path, 'wait');
    await program.says(/(ready)/);
    program.child.kill(signal);

    expect(await program.result).toMatchObject({ code: null, signal });
  });
});
