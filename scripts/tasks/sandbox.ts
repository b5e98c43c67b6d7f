import { SANDBOX } from '../build/programs.ts';
import { runBuilt } from '../build/run-built.ts';

await runBuilt(SANDBOX);
