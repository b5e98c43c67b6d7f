import { once } from 'node:events';

import { build } from '../build/build.ts';
import { readOptions, runTask, toldToStop } from '../run-task.ts';

/**
 * Starts a broker, the sandbox and a worker for the tests of another service, prints their addresses as one
 * line of JSON, and stops when its standard input ends.
 */
await runTask(async () => {
  const { settings = '{}' } = readOptions({ settings: String });
  const stopped = Promise.race([toldToStop(), once(process.stdin.resume(), 'end')]);
  await build();
  // Imports the built code, which must exist first.
  const { startService } = await import('../start-service.ts');
  const prefix = `poker-fixture-${process.pid}`;
  await using service = await startService(prefix, JSON.parse(settings) as Record<string, string>);
  const { amqpUrl: AMQP_URL, sandboxUrl: SANDBOX_URL } = service;
  console.log(JSON.stringify({ AMQP_URL, AMQP_PREFIX: prefix, SANDBOX_URL }));
  await stopped;
});
