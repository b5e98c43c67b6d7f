import { runBuilt, WORKER } from '../build/programs.ts';

await runBuilt(WORKER, process.argv.slice(2));
