import { runBuilt, SANDBOX } from '../build/programs.ts';

await runBuilt(SANDBOX);
