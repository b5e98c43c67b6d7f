import { runBuilt, WORKER } from '../build/programs.ts';

await runBuilt(WORKER);
