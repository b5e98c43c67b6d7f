import { watch } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { brokerSources, findBroker } from '../broker/find-broker.ts';
import { DevApp } from '../dev-app.ts';
import { platformAt, PRECISIONS } from '../processes/worker-process.ts';
import { root } from '../root.ts';
import { readOptions, runTask, toldToStop } from '../run-task.ts';

const DEBUGGER_PORT = 9229;
/** An editor may write a file more than once, and save several files together. */
const SAVING_MS = 50;

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
  const flags = inspect ? [`--inspect=${debuggerPort}`] : [];
  restartOnSave([
    parts.use(new DevApp('sandbox', process.env)),
    parts.use(new DevApp('worker', variables, flags)),
  ]);
  console.log(
    `Ctrl-C stops everything; a save restarts what uses the file:
  broker     ${broker.url} (${broker.origin})
  sandbox    http://127.0.0.1:${SANDBOX_PORT}
  console    http://127.0.0.1:${HTTP_PORT}/console`,
  );
  await stopped;
});

/** Starts the apps, and restarts those that use a saved file. */
function restartOnSave(apps: readonly DevApp[]): void {
  const saved = new Set<string>();
  let restarting: Promise<unknown> = Promise.all(apps.map((app) => app.restart()));
  const restart = async (): Promise<void> => {
    await restarting;
    await sleep(SAVING_MS);
    const paths = [...saved];
    saved.clear();
    const affected = apps.filter((app) => paths.some((path) => app.uses(path)));
    await Promise.all(affected.map((app) => app.restart()));
  };
  for (const folder of ['apps', 'libs'])
    watch(join(root, folder), { recursive: true }, (_, name) => {
      saved.add(join(root, folder, name ?? ''));
      if (saved.size === 1) restarting = restart();
    });
}
