import { runBuilt } from '../build/run-built.ts';

await runBuilt('apps/cli/src/main.js', process.argv.slice(2));
