#!/usr/bin/env node
// Every npm script of this repository starts here, on whatever Node.js (20 or newer) the machine has:
// bring the packages, among them the Node.js release the project is made for, and run the task on that.
import { readdirSync } from 'node:fs';

import { launch } from './launcher/launch.mjs';

const files = readdirSync(new URL('tasks', import.meta.url));
const tasks = files.filter((name) => name.endsWith('.ts')).map((name) => name.slice(0, -'.ts'.length));
const [task, ...args] = process.argv.slice(2);
if (tasks.includes(task)) await launch(task, args);
else {
  console.error(`Usage: node scripts/run.mjs TASK [arguments], where TASK is one of: ${tasks.join(', ')}`);
  process.exitCode = 2;
}
