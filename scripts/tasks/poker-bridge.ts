import { CLI, runBuilt } from '../build/programs.ts';

await runBuilt(CLI, process.argv.slice(2));
