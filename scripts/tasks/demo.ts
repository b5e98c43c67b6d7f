import { brokerSources, findBroker } from '../broker/sources/find-broker.ts';
import { build } from '../build/build.ts';
import { demo } from '../demo/demo.ts';
import { messageOf } from '../message-of.ts';
import { endWithNpm } from '../processes/end-with-npm.ts';
import { root } from '../root.ts';

endWithNpm();
try {
  await build(root);
  const sources = brokerSources({ amqpUrl: process.env['AMQP_URL'] });
  const isRight = await demo(() => findBroker(sources), process.argv.includes('--keep'));
  process.exit(isRight ? 0 : 1);
} catch (error) {
  console.error(`poker-bridge: ${messageOf(error)}`);
  process.exit(1);
}
