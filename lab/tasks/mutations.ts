import { mkdtempDisposableSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { readOptions, runTask } from '../../scripts/run-task.ts';
import { findSurvivors } from '../mutations/mutations.ts';

/** Breaks one line at a time, and reports the promises whose spec does not notice. */
await runTask(async () => {
  const { only } = readOptions({ only: String });
  using folder = mkdtempDisposableSync(join(tmpdir(), 'poker-bridge-mutations-'));
  const survivors = await findSurvivors(folder.path, only);
  console.log(`${survivors.length} survived`);
  return survivors.length === 0;
});
