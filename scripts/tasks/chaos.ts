import { chaos } from '../../lab/chaos/chaos.ts';
import type { Row } from '../../lab/chaos/rows/row.ts';
import { ROWS } from '../../lab/chaos/rows/rows.ts';
import { chooseRelease, readRelease, RELEASES, requireInstallation } from '../broker/installation.ts';
import { build } from '../build/build.ts';
import { readOptions, runTask } from '../run-task.ts';

/** @throws {Error} with the valid names, if one of these is unknown */
function choose(names: readonly string[]): readonly Row[] {
  return names.map((name) => {
    const found = ROWS.find((row) => row.name === name);
    if (found) return found;
    throw new Error(`--only ${name} is not one of the rows ${ROWS.map((row) => row.name).join(', ')}`);
  });
}

await runTask(async () => {
  const amounts = { commands: 10_000, rate: 150, seed: 1 };
  const { only, release, rate, ...options } = readOptions({ only: String, release: String, ...amounts });
  const rows = only === undefined ? ROWS : choose(only.split(','));
  const releases = release === undefined ? RELEASES : release.split(',').map(readRelease);
  await build();
  let isSound = true;
  for (const name of releases) {
    chooseRelease(name);
    const { version } = await requireInstallation();
    isSound = (await chaos({ ...options, rows, perSecond: rate, release: { name, version } })) && isSound;
  }
  return isSound;
});
