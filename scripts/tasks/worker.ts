import { runBuilt } from '../build/run-built.ts';

await runBuilt('apps/worker/src/main.js', process.argv.slice(2));
