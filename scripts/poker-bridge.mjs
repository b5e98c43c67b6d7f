#!/usr/bin/env node
// The command line as npx starts it in a clone, on whatever Node.js (20 or newer) the machine has:
// bring the packages and run the built program on the Node.js release the project is made for.
import { fileURLToPath } from 'node:url';
import { ensurePackages } from './launcher/ensure-packages.mjs';
import { startTask } from './launcher/start-task.mjs';

/** `EX_SOFTWARE` of sysexits: the smaller codes are the program's own answers. */
const EXIT_SOFTWARE = 70;

try {
  const { node } = await ensurePackages(fileURLToPath(new URL('..', import.meta.url)));
  const task = fileURLToPath(new URL('tasks/poker-bridge.ts', import.meta.url));
  startTask(node, task, process.argv.slice(2));
} catch (error) {
  console.error(`poker-bridge: ${error.message}`);
  process.exitCode = EXIT_SOFTWARE;
}
