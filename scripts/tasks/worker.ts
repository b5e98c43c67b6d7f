import { WORKER_FLAGS } from '../build/node-flags.ts';
import { runBuilt } from '../build/run-built.ts';

await runBuilt('apps/worker/src/main.js', WORKER_FLAGS, process.argv.slice(2));
