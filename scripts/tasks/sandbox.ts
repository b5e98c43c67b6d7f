import { runBuilt, SANDBOX } from '../build/programs.ts';

await runBuilt(SANDBOX, process.argv.slice(2));
