import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from '@jest/globals';

import { root } from '../../../scripts/root.ts';
import { until } from '../../support/until.ts';
import { Program } from '../../support/program.ts';
import { isAlive } from './is-alive.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** A program that starts `sleep` and a child of it under guard, and prints both process ids. */
function parent(folder: string, first = ''): Program {
  mkdirSync(join(folder, 'owned'));
  const file = join(folder, 'parent.mts');
  writeFileSync(
    file,
    `import { guardedCommand } from ${JSON.stringify(join(root, 'scripts/processes/guarded-command.ts'))};
     const awake = setInterval(() => undefined, 1_000);
     ${first}
     const command = guardedCommand('/bin/sh', ['-c', 'sleep 1000 & echo pids $$ $!.; wait'], {
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

describe('a guarded command', () => {
  it.each(['SIGKILL', 'SIGTERM', 'SIGINT'] as const)(
    'ends with its children and its folder when %s ends the process that started it',
    async (signal) => {
      using folder = temporaryFolder();
      await using program = parent(folder.path);
      const pids = await pidsOf(program);
      program.child.kill(signal);
      await program.result;

      await until(
        'nothing of it is left',
        () => pids.every((pid) => !isAlive(pid)) && !existsSync(join(folder.path, 'owned')),
      );
    },
  );

  it('is gone when it is ended, and leaves its folder if asked to', async () => {
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
