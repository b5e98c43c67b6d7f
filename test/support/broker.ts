import { randomBytes } from 'node:crypto';

import { type Channel, connect, type GetMessage } from 'amqplib';

import { type BrokerNode, rabbitmqctl } from '../../scripts/broker/node.ts';

/**
 * Returns the URL of the broker of this test run. `global-setup.mjs` starts it if a selected spec needs one.
 */
export function testBrokerUrl(): string {
  const url = process.env['TEST_AMQP_URL'];
  if (url === undefined)
    throw new Error('this run has no broker: its spec lies outside of the folders that get one');
  return url;
}

/** Runs rabbitmqctl against the broker of this test run, which other suites share. */
export function testBrokerCtl(...args: string[]): Promise<string> {
  const node = process.env['TEST_BROKER_NODE'];
  if (node === undefined) throw new Error('the broker of this run was given by its URL alone');
  return rabbitmqctl(JSON.parse(node) as BrokerNode, args);
}

/**
 * True if the broker of this test run has this release or a later one; false for TEST_AMQP_URL, whose release
 * is unknown.
 */
export function isTestBrokerFrom(major: number, minor = 0): boolean {
  const [itsMajor = 0, itsMinor = 0] = (process.env['TEST_BROKER_VERSION'] ?? '').split('.').map(Number);
  return itsMajor > major || (itsMajor === major && itsMinor >= minor);
}

/** Returns a unique prefix for the names of one suite. */
export function uniquePrefix(): string {
  return `t-${randomBytes(5).toString('hex')}`;
}

export type TestConnection = Awaited<ReturnType<typeof openConnection>>;

/**
 * Opens a connection with a confirm channel; `await using` closes it.
 *
 * @param url default: the broker of this test run
 */
export async function openConnection(url: string = testBrokerUrl()) {
  const connection = await connect(url, { noDelay: true });
  // A suite that breaks the connection on purpose sees the error in its own calls.
  connection.on('error', () => undefined);
  const channel = await connection.createConfirmChannel();
  channel.on('error', () => undefined);
  return { connection, channel, [Symbol.asyncDispose]: () => connection.close().catch(() => undefined) };
}

/** Returns the broker's answer about a queue or an exchange; `undefined` if it does not exist. */
export async function found<T>(ask: (channel: Channel) => Promise<T>, url?: string): Promise<T | undefined> {
  await using asking = await openConnection(url);
  return await ask(asking.channel).catch(() => undefined);
}

/** Removes and returns the messages of a queue, oldest first. */
export async function drain(channel: Channel, queue: string): Promise<GetMessage[]> {
  const messages: GetMessage[] = [];
  for (;;) {
    const message = await channel.get(queue, { noAck: true });
    if (message === false) return messages;
    messages.push(message);
  }
}

/** Removes and returns the messages of a queue as text, oldest first. */
export async function drained(channel: Channel, queue: string): Promise<string[]> {
  return (await drain(channel, queue)).map(({ content }) => content.toString());
}
