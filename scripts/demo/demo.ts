import { styleText } from 'node:util';

import type { FoundBroker } from '../broker/sources/broker-source.ts';
import { toldToStop } from '../processes/told-to-stop.ts';
import { DemoCaller, type DemoReply } from './caller.ts';
import { printCommand, printReply, step } from './print.ts';
import { removeTopology } from './remove-topology.ts';
import { ServiceProcess } from './service-process.ts';
import { PLAYERS, type Scene, STORY } from './story.ts';

const SANDBOX_SETTINGS = {
  SANDBOX_PORT: '0',
  SANDBOX_UNKNOWN_PLAYERS: 'refuse',
  SANDBOX_REPORT_RECORDS: '25',
};

/**
 * Shows the whole flow: a broker, the sandbox platform, a worker, and every command over the bus.
 *
 * @param isKept whether everything is left running until the process is interrupted
 * @returns whether every command was answered as it should be
 */
export async function demo(findBroker: () => Promise<FoundBroker>, isKept: boolean): Promise<boolean> {
  const ending: (() => Promise<void>)[] = [];
  try {
    process.stdout.write(`${styleText('bold', 'poker-bridge demo')}\n`);
    const broker = await step(
      'RabbitMQ',
      findBroker,
      ({ origin, url }) => `${origin}, ${withoutPassword(url)}`,
    );
    ending.unshift(() => broker.stop());
    const sandbox = new ServiceProcess('the sandbox', 'apps/sandbox/src/main.js', SANDBOX_SETTINGS);
    ending.unshift(() => sandbox.stop());
    const platform = await step('sandbox', () => sandbox.says(/listening on (\S+)/), String);
    await addPlayers(platform);
    // Of its own, since the broker may be somebody's.
    const prefix = `poker-demo-${process.pid}`;
    ending.unshift(() => removeTopology(broker.url, prefix));
    const worker = new ServiceProcess(
      'the worker',
      'apps/worker/src/main.js',
      workerSettings(broker.url, platform, prefix),
    );
    ending.unshift(() => worker.stop());
    const health = await step(
      'worker',
      () => workerReady(worker),
      (url) => `${url}/health`,
    );
    const caller = await DemoCaller.open(broker.url);
    ending.unshift(() => caller.close());

    let isRight = true;
    for (const scene of STORY) isRight = (await play(caller, prefix, scene)) && isRight;
    printEnd(isRight);
    if (isKept) await keep({ broker: broker.url, platform, health, prefix });
    return isRight;
  } finally {
    for (const end of ending) await end();
  }
}

async function play(caller: DemoCaller, prefix: string, scene: Scene): Promise<boolean> {
  printCommand(scene);
  const replies = await caller.send(`${prefix}.commands`, scene.type, scene.data);
  for (const reply of replies) printReply(reply);
  const came = nameOf(replies.at(-1));
  if (came === scene.expected) return true;
  process.stdout.write(`      ${styleText('red', `expected ${scene.expected}`)}\n`);
  return false;
}

function nameOf(final: DemoReply | undefined): string {
  return final?.type === 'command.failed' ? String(final.body['code']) : String(final?.type);
}

async function addPlayers(platform: string): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${platform}/sandbox/players`, {
    method: 'POST',
    headers,
    body: JSON.stringify(PLAYERS),
  });
  if (!response.ok) throw new Error(`the sandbox did not take the players: ${await response.text()}`);
}

function workerSettings(amqpUrl: string, platform: string, prefix: string): Record<string, string> {
  return {
    AMQP_URL: amqpUrl,
    AMQP_PREFIX: prefix,
    PLATFORM_BASE_URL: `${platform}/api/web`,
    PLATFORM_API_URL: platform,
    PLATFORM_CLIENT_ID: 'sandbox',
    PLATFORM_SECRET_KEY: 'sandbox-secret-key',
    CURRENCY_PRECISIONS: 'EUR=2,USD=2',
    HTTP_PORT: '0',
  };
}

async function workerReady(worker: ServiceProcess): Promise<string> {
  const url = `http://127.0.0.1:${await worker.says(/"port":(\d+).*worker started/)}`;
  await worker.says(/("connection":"consuming".*connected to the broker)/);
  return url;
}

function printEnd(isRight: boolean): void {
  const text = isRight
    ? styleText('green', `All ${STORY.length} commands were answered as they should be.`)
    : styleText('red', 'Not every command was answered as it should be.');
  process.stdout.write(`\n${text}\n`);
}

async function keep(addresses: {
  broker: string;
  platform: string;
  health: string;
  prefix: string;
}): Promise<void> {
  process.stdout.write(
    [
      '\nEverything goes on until you press Ctrl-C:',
      `  commands   AMQP_URL=${addresses.broker} AMQP_PREFIX=${addresses.prefix}`,
      `  platform   ${addresses.platform}`,
      `  health     ${addresses.health}/health`,
      `  metrics    ${addresses.health}/metrics\n`,
    ].join('\n'),
  );
  await toldToStop();
}

function withoutPassword(url: string): string {
  const { protocol, host } = new URL(url);
  return `${protocol}//${host}`;
}
