import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, it } from '@jest/globals';

import { root } from '../../../scripts/root.ts';
import { until } from '../../support/until.ts';
import { Program } from '../../support/program.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

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

function mayRelease(folder: string, name: string): void {
  writeFileSync(releaseOf(folder, name), '');
}

function releaseOf(folder: string, name: string): string {
  return join(folder, `${name}.release`);
}

it('two processes that want a lock at once get it one after the other', async () => {
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

it('a lock is taken over from a process that has died', async () => {
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
