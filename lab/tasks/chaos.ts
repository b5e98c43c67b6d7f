import {
  chooseRelease,
  readRelease,
  RELEASES,
  requireInstallation,
} from '../../scripts/broker/installation.ts';
import { build } from '../../scripts/build/build.ts';
import { readOptions, runTask } from '../../scripts/run-task.ts';
import { chaos } from '../chaos/chaos.ts';
import { ROWS } from '../chaos/rows/rows.ts';
import { chooseRows } from '../choose-rows.ts';

await runTask(async () => {
  const amounts = { commands: 10_000, rate: 150, seed: 1 };
  const { only, release, rate, ...options } = readOptions({ only: String, release: String, ...amounts });
  const rows = chooseRows('only', ROWS, only);
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
