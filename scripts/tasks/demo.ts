import { brokerSources, findBroker } from '../broker/find-broker.ts';
import { build } from '../build/build.ts';
import { root } from '../root.ts';
import { readOptions, runTask } from '../run-task.ts';

await runTask(async () => {
  const { keep } = readOptions({ keep: Boolean });
  await build(root);
  // Uses the built code, so not before it is built.
  const { demo } = await import('../demo.ts');
  const sources = brokerSources({ amqpUrl: process.env['AMQP_URL'] });
  return (await demo(() => findBroker(sources), keep === true)) ? 0 : 1;
});
