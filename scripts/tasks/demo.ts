import { startBroker } from '../broker/start-broker.ts';
import { build } from '../build/build.ts';
import { demo } from '../demo/demo.ts';
import { root } from '../root.ts';

await build(root);
const isRight = await demo(() => startBroker(), process.argv.includes('--keep'));
process.exitCode = isRight ? 0 : 1;
