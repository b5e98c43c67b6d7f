import { brokerSources, findBroker } from '../broker/find-broker.ts';
import { build } from '../build/build.ts';
import { root } from '../root.ts';
import { runTask } from '../run-task.ts';

await runTask(async () => {
  await build(root);
  // Uses the built code, so not before it is built.
  const { demo } = await import('../demo.ts');
  const sources = brokerSources({ amqpUrl: process.env['AMQP_URL'] });
  return (await demo(() => findBroker(sources), process.argv.includes('--keep'))) ? 0 : 1;
});
