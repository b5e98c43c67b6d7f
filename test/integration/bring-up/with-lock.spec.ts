import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, it } from '@jest/globals';

import { Program, root } from './processes.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** A program that says when it holds the lock and when it has released it. */
function holder(folder: string, name: string, holdMs: number): Program {
  const file = join(folder, `${name}.mjs`);
  writeFileSync(
    file,
    `import { withLock } from ${JSON.stringify(join(root, 'scripts/launcher/with-lock.mjs'))};
     await withLock(${JSON.stringify(join(folder, 'lock'))}, async () => {
       console.log('from ' + Date.now());
       await new Promise((resolve) => setTimeout(resolve, ${holdMs}));
       console.log('until ' + Date.now());
     });`,
  );
  return new Program(process.execPath, [file]);
}

it('two who want a lock at once get it one after the other', async () => {
  using folder = temporaryFolder();
  await using first = holder(folder.path, 'first', 600);
  await first.says(/from (\d+)/);
  await using second = holder(folder.path, 'second', 0);

  const [before, after] = await Promise.all([first.ended, second.ended]);
  expect(after.stderr).toContain('waiting for process');
  const until = Number(/until (\d+)/.exec(before.stdout)?.[1]);
  expect(Number(/from (\d+)/.exec(after.stdout)?.[1])).toBeGreaterThanOrEqual(until);
  expect(existsSync(join(folder.path, 'lock'))).toBe(false);
});

it('a lock is taken over from a process that has died', async () => {
  using folder = temporaryFolder();
  {
    await using killed = holder(folder.path, 'killed', 60_000);
    await killed.says(/from (\d+)/);
  }
  expect(existsSync(join(folder.path, 'lock'))).toBe(true);
  await using next = holder(folder.path, 'next', 0);

  expect(await next.ended).toMatchObject({ code: 0, stderr: '' });
});
