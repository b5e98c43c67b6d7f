import { join } from 'node:path';

import { brokerSources, findBroker } from '../broker/find-broker.ts';
import { FLAGS } from '../launcher/flags.mjs';
import { Program } from '../processes/program.ts';
import { platformAt, PRECISIONS } from '../processes/worker-process.ts';
import { root } from '../root.ts';
import { readOptions, runTask, toldToStop } from '../run-task.ts';

const DEBUGGER_PORT = 9229;
const LOADER = new URL('../load-typescript.mjs', import.meta.url).href;
const FLAGS_OF_SOURCES = [...FLAGS, '--enable-source-maps', '--conditions=@poker-bridge/source'];
const WATCHING = ['--watch', '--watch-preserve-output', `--import=${LOADER}`];
// Halves the start, because most modules belong to packages, which do not change.
const NODE_COMPILE_CACHE = join(root, 'node_modules/.cache/poker-bridge-dev');

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
  const start = (app: string, variables: NodeJS.ProcessEnv, flags: readonly string[] = []): void => {
    const args = [...FLAGS_OF_SOURCES, ...WATCHING, ...flags, join(root, 'apps', app, 'src/main.ts')];
    const environment = { NODE_COMPILE_CACHE, ...process.env, ...variables };
    parts.use(new Program(process.execPath, args, environment, { isShown: true }));
  };
  start('sandbox', {});
  const platform = { ...platformAt(`http://127.0.0.1:${SANDBOX_PORT}`), ...PRECISIONS };
  const flags = inspect ? [`--inspect=${debuggerPort}`] : [];
  start('worker', { ...platform, ...process.env, AMQP_URL: broker.url }, flags);
  console.log(
    `Ctrl-C stops everything; a save restarts what uses the file:
  broker     ${broker.url} (${broker.origin})
  sandbox    http://127.0.0.1:${SANDBOX_PORT}
  console    http://127.0.0.1:${HTTP_PORT}/console`,
  );
  await stopped;
});
