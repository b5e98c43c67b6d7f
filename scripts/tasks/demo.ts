import { brokerSources, findBroker } from '../broker/sources/find-broker.ts';
import { build } from '../build/build.ts';
import { demo } from '../demo/demo.ts';
import { endWithNpm } from '../processes/end-with-npm.ts';
import { root } from '../root.ts';

endWithNpm();
await build(root);
const sources = brokerSources({ amqpUrl: process.env['AMQP_URL'] });
const isRight = await demo(() => findBroker(sources), process.argv.includes('--keep'));
process.exitCode = isRight ? 0 : 1;
