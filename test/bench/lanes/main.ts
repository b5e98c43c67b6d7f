import { startBroker } from '../../../scripts/broker/start-broker.ts';
import { build } from '../../../scripts/build/build.ts';
import { root } from '../../../scripts/root.ts';
import { runLanes } from './run-lanes.ts';

await build(root);
await using broker = await startBroker();
process.exitCode = (await runLanes({ url: broker.url })) ? 0 : 1;
