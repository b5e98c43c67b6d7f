import { runBuilt } from '../build/run-built.ts';

await runBuilt('apps/sandbox/src/main.js', process.argv.slice(2));
