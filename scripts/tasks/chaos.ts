import { parseArgs } from 'node:util';

import { chaos } from '../../test/chaos/chaos.ts';
import { ROWS } from '../../test/chaos/rows/rows.ts';
import { SYSTEMS } from '../../test/chaos/stage/systems.ts';
import { chooseRelease, readRelease, RELEASES } from '../broker/releases.ts';
import { requireInstallation } from '../broker/require-installation.ts';
import { build } from '../build/build.ts';
import { root } from '../root.ts';
import { readCount, runTask } from '../run-task.ts';

/** @throws {Error} naming what there is, if a name is none of it */
function choose<T extends { readonly name: string }>(
  option: string,
  names: readonly string[],
  all: readonly T[],
): readonly T[] {
  return names.map((name) => {
    const found = all.find((each) => each.name === name);
    if (found) return found;
    throw new Error(`--${option} ${name} is none of ${all.map((each) => each.name).join(', ')}`);
  });
}

await runTask(async () => {
  const { values } = parseArgs({
    options: {
      only: { type: 'string' },
      release: { type: 'string' },
      commands: { type: 'string', default: '10000' },
      rate: { type: 'string', default: '150' },
      seed: { type: 'string', default: '1' },
      systems: { type: 'string', default: 'ours' },
    },
  });
  const options = {
    rows: values.only === undefined ? ROWS : choose('only', values.only.split(','), ROWS),
    systems: choose('systems', values.systems.split(','), SYSTEMS),
    commands: readCount('commands', values.commands),
    perSecond: readCount('rate', values.rate),
    seed: readCount('seed', values.seed),
  };
  const releases = values.release === undefined ? RELEASES : values.release.split(',').map(readRelease);
  await build(root);
  let isSound = true;
  for (const name of releases) {
    chooseRelease(name);
    const { version } = await requireInstallation();
    isSound = (await chaos({ ...options, release: { name, version } })) && isSound;
  }
  return isSound ? 0 : 1;
});
