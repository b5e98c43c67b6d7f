import { execFileSync } from 'node:child_process';
import { mkdtempDisposableSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { chooseRelease, requireInstallation } from '../../scripts/broker/installation.ts';
import { build } from '../../scripts/build/build.ts';
import { root } from '../../scripts/root.ts';
import { readOptions, runTask } from '../../scripts/run-task.ts';
import { isSound, playRow } from '../chaos/play-row.ts';
import { resultLine } from '../chaos/report.ts';
import { upgradeRow } from '../chaos/upgrade/upgrade-row.ts';

const git = (...args: string[]): string => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();

/**
 * Runs workers of an older version and of this one side by side under load: upgrades them in turn, and rolls
 * them back.
 */
await runTask(async () => {
  const options = { from: String, release: '4.3', commands: 3_000, rate: 50 };
  const { from, release, commands, rate: perSecond } = readOptions(options);
  if (from === undefined) throw new Error('--from COMMIT is missing: the version to upgrade from');
  chooseRelease(release);
  const commit = git('rev-parse', '--verify', `${from}^{commit}`);
  using parts = new DisposableStack();
  // Runs after the removal of the folder.
  parts.defer(() => git('worktree', 'prune'));
  const { path: folder } = parts.use(mkdtempDisposableSync(join(tmpdir(), 'poker-bridge-upgrade-')));
  git('worktree', 'add', '--detach', folder, commit);
  // The older version builds itself with its own scripts.
  execFileSync('node', ['scripts/run.mjs', 'build'], { cwd: folder, stdio: 'inherit' });
  await build();
  const { version } = await requireInstallation();
  console.log(`RabbitMQ ${version}: from ${git('log', '-1', '--format=%h %s', commit)}`);
  const result = await playRow(upgradeRow({ old: { folder }, new: {} }), { commands, perSecond, seed: 1 });
  for (const line of [resultLine(result), ...result.stories]) console.log(`  ${line}`);
  return isSound(result);
});
