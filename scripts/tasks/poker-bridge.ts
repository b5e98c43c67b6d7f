import { NODE_FLAGS } from '../build/node-flags.ts';
import { runBuilt } from '../build/run-built.ts';

await runBuilt('apps/cli/src/main.js', NODE_FLAGS, process.argv.slice(2));
