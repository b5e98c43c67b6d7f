#!/usr/bin/env node
// Every npm script of this repository starts here, on whatever Node.js (20 or newer) the machine has:
// bring the packages, among them the Node.js release the project is made for, and run the task on that.
import { readdirSync } from 'node:fs';

import { launch } from './launcher/launch.mjs';

/** The tasks of the product and of the laboratory, by their names. */
const tasks = new Map(
  ['tasks/', '../lab/tasks/'].flatMap((path) => {
    const folder = new URL(path, import.meta.url);
    return readdirSync(folder).map((file) => [file.replace(/\.ts$/, ''), new URL(file, folder)]);
  }),
);
const [name, ...args] = process.argv.slice(2);
const task = tasks.get(name);
if (task) await launch(task, args);
else {
  const names = [...tasks.keys()].join(', ');
  console.error(`Usage: node scripts/run.mjs TASK [arguments], where TASK is one of: ${names}`);
  process.exitCode = 2;
}
