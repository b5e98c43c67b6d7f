import { fileURLToPath } from 'node:url';

import { ensurePackages } from './ensure-packages.mjs';
import { startTask } from './start-task.mjs';

/**
 * Brings the packages and becomes a task of `scripts/tasks`; ends with a line on stderr if the packages cannot be had.
 *
 * @param {string} task
 * @param {string[]} args
 * @param {number} failure the exit code then
 */
export async function launch(task, args, failure = 1) {
  try {
    const node = await ensurePackages(fileURLToPath(new URL('../..', import.meta.url)));
    startTask(node, fileURLToPath(new URL(`../tasks/${task}.ts`, import.meta.url)), args);
  } catch (error) {
    console.error(`poker-bridge: ${error.message}`);
    process.exitCode = failure;
  }
}
