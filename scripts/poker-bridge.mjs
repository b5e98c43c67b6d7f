#!/usr/bin/env node
// The command line as npx starts it in a clone, on whatever Node.js (20 or newer) the machine has:
// bring the packages and run the built program on the Node.js release the project is made for.
import { launch } from './launcher/launch.mjs';

/** `EX_SOFTWARE` of sysexits: the smaller codes are the program's own answers. */
const EXIT_SOFTWARE = 70;

await launch(new URL('tasks/poker-bridge.ts', import.meta.url), process.argv.slice(2), EXIT_SOFTWARE);
