import { CLI, runBuilt } from '../build/programs.ts';

await runBuilt(CLI);
