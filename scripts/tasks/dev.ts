import { brokerSources, findBroker } from '../broker/find-broker.ts';
import { startFromSources } from '../dev/source-process.ts';
import { platformAt, PRECISIONS } from '../processes/worker-process.ts';
import { readOptions, runTask, toldToStop } from '../run-task.ts';

const DEBUGGER_PORT = 9229;

/**
 * Runs a broker, the sandbox and a worker until this process is interrupted. Sandbox and worker run from
 * their sources, and restart when one of their files is saved. Their settings are environment variables.
 */
await runTask(async () => {
  const { inspect, 'inspect-port': debuggerPort } = readOptions({
    inspect: Boolean,
    'inspect-port': DEBUGGER_PORT,
  });
  const stopped = toldToStop();
  await using parts = new AsyncDisposableStack();
  const starting = findBroker(brokerSources({ amqpUrl: process.env['AMQP_URL'] }));
  const broker = await Promise.race([starting, stopped.then(() => undefined)]);
  // Interrupted during startup of the broker: its node ends with this process.
  if (broker === undefined) return;
  parts.use(broker);
  const { SANDBOX_PORT = '3100', HTTP_PORT = '3000' } = process.env;
  const variables = {
    ...platformAt(`http://127.0.0.1:${SANDBOX_PORT}`),
    ...PRECISIONS,
    ...process.env,
    AMQP_URL: broker.url,
  };
  parts.use(startFromSources('sandbox', process.env));
  parts.use(startFromSources('worker', variables, inspect ? [`--inspect=${debuggerPort}`] : []));
  console.log(
    `Ctrl-C stops everything; a save restarts what uses the file:
  broker     ${broker.url} (${broker.origin})
  sandbox    http://127.0.0.1:${SANDBOX_PORT}
  console    http://127.0.0.1:${HTTP_PORT}/console`,
  );
  await stopped;
});
