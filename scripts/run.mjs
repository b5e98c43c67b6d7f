#!/usr/bin/env node
// Every npm script of this repository starts here, on whatever Node.js (20 or newer) the machine has:
// bring the packages, among them the Node.js release the project is made for, and run the task on that.
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ensurePackages } from './launcher/ensure-packages.mjs';
import { startTask } from './launcher/start-task.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const tasks = readdirSync(new URL('tasks', import.meta.url))
  .filter((name) => name.endsWith('.ts'))
  .map((name) => name.slice(0, -'.ts'.length));

const [task, ...args] = process.argv.slice(2);

if (task === undefined || !tasks.includes(task)) {
  console.error(`Usage: node scripts/run.mjs TASK [arguments], where TASK is one of: ${tasks.join(', ')}`);
  process.exitCode = 2;
} else {
  try {
    const { node } = await ensurePackages(root);
    startTask(node, fileURLToPath(new URL(`tasks/${task}.ts`, import.meta.url)), args);
  } catch (error) {
    console.error(`poker-bridge: ${error.message}`);
    process.exitCode = 1;
  }
}
