import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { WORKER } from '../../scripts/build/programs.ts';

/**
 * The file from which a built worker starts.
 *
 * @param folder of a repository, maybe of a version that had no bundle yet
 */
export function workerProgram(folder: string): string {
  const bundled = join(folder, 'dist', WORKER.file);
  return existsSync(bundled) ? bundled : join(folder, 'dist/apps/worker/src/main.js');
}
