import { EventEmitter, on } from 'node:events';
import { styleText } from 'node:util';

import { type BusReply, type Caller, createCaller } from '#caller';

import { removeQueues, removeTopology } from '../broker/remove-topology.ts';
import type { FoundBroker } from '../broker/start-broker.ts';
import { commandOf, SANDBOX, WORKER } from '../build/programs.ts';
import { ServiceProcess } from '../processes/service-process.ts';
import { toldToStop } from '../processes/guarded-command.ts';
import { PLAYERS, printCommand, printReply, type Scene, step, STORY } from './story.ts';

const START_TIMEOUT_MS = 20_000;
const DEADLINE_MS = 20_000;
const ANSWER_SLACK_MS = 1_500;
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
  await using parts = new AsyncDisposableStack();
  process.stdout.write(`${styleText('bold', 'poker-bridge demo')}\n`);
  const broker = await step(
    'RabbitMQ',
    findBroker,
    ({ origin, url }) => `${origin}, ${withoutPassword(url)}`,
  );
  parts.defer(() => broker.stop());
  const sandbox = parts.use(new ServiceProcess(commandOf(SANDBOX, SANDBOX_SETTINGS)));
  const platform = await step('sandbox', () => sandbox.says(/listening on (\S+)/, START_TIMEOUT_MS), String);
  await addPlayers(platform);
  // Of its own, since the broker may be somebody's.
  const prefix = `poker-demo-${process.pid}`;
  parts.defer(() => removeTopology(broker.url, prefix));
  const settings = workerSettings(broker.url, platform, prefix);
  const worker = parts.use(new ServiceProcess(commandOf(WORKER, settings)));
  const health = await step(
    'worker',
    () => workerReady(worker),
    (url) => `${url}/health`,
  );
  const name = `${prefix}-caller`;
  parts.defer(() => removeQueues(broker.url, [`${name}.replies.demo`]));
  const replies = new EventEmitter();
  const onReply = (reply: BusReply): void => void replies.emit('reply', reply);
  const caller = parts.use(createCaller({ url: broker.url, prefix, name, instance: 'demo', onReply }));

  let isRight = true;
  for (const scene of STORY) isRight = (await play(caller, replies, scene)) && isRight;
  printEnd(isRight);
  if (isKept) await keep({ broker: broker.url, platform, health, prefix });
  return isRight;
}

async function play(caller: Caller, replies: EventEmitter, scene: Scene): Promise<boolean> {
  printCommand(scene);
  const sentAtMs = Date.now();
  const signal = AbortSignal.timeout(DEADLINE_MS + ANSWER_SLACK_MS);
  const arriving = on(replies, 'reply', { signal }) as AsyncIterable<[BusReply]>;
  await caller.publish(caller.prepare(scene.type, scene.data as never, { deadlineMs: DEADLINE_MS }));
  for await (const [reply] of arriving) {
    printReply(reply, Date.now() - sentAtMs);
    if (!reply.isFinal) continue;
    if ((reply.type === 'command.failed' ? reply.data.code : reply.type) === scene.expected) return true;
    break;
  }
  process.stdout.write(`      ${styleText('red', `expected ${scene.expected}`)}\n`);
  return false;
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
  const port = await worker.says(/"port":(\d+).*worker started/, START_TIMEOUT_MS);
  const url = `http://127.0.0.1:${port}`;
  await worker.until('take commands', async () => (await fetch(`${url}/health/ready`)).ok, START_TIMEOUT_MS);
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
