import type { Channel, ChannelModel } from 'amqplib';

import { readAddress } from '../connection/address.ts';
import { brokerUserOf } from '../connection/connect.ts';
import { onChannel } from '../channel/channel.ts';
import { codeOf, NOT_FOUND, PRECONDITION_FAILED, refusedWith } from '../channel/refusal.ts';
import type { Topology } from './topology.ts';

const TIMEOUT_MS = 2_000;
/** For a person who asks. */
const INSPECTION_TIMEOUT_MS = 4_000;
const LARGE_MESSAGE_TIMEOUT_MS = 30_000;
/** The name of a queue and of a binding that do not exist. */
const NOBODY = 'a question about permissions';

/** The permissions that a service needs, as patterns of names. */
export type Permissions = Readonly<Record<'configure' | 'write' | 'read', string>>;

/**
 * Names the permission that a refusal of the broker is for, with the line for a shell that gives the user all that it needs.
 *
 * @returns undefined if the error is not about a permission
 */
export function adviceOn(
  error: unknown,
  { permissions, urls: [url = ''] }: { readonly permissions: Permissions; readonly urls: readonly string[] },
): string | undefined {
  const missing = missingPermissionIn(error);
  const line = missing && permissionsLine(url, permissions);
  return missing && `the broker user lacks the ${missing.permission} permission (${missing.reason}): ${line}`;
}

/** The line for a shell that gives a user, by default that of a URL, its permissions in the URL's virtual host. */
export function permissionsLine(
  url: string,
  { configure, write, read }: Permissions,
  user = brokerUserOf(url),
): string {
  const { virtualHost } = readAddress(url);
  const [vhost, ...others] = [virtualHost, user, configure, write, read].map(quoted);
  return `rabbitmqctl set_permissions --vhost ${vhost} ${others.join(' ')}`;
}

/**
 * Asks whether the user of a connection may publish to some exchanges, without a message for anybody. On a fresh channel,
 * since a channel keeps what it was once allowed.
 *
 * @throws Error with code 403 if it may not, else if the broker does not answer
 */
export function checkPublishing(
  connection: ChannelModel,
  exchanges: readonly string[],
  { exchanges: [own] }: Topology,
): Promise<void> {
  return onChannel(connection, TIMEOUT_MS, 'a question', async (channel) => {
    for (const exchange of exchanges) {
      if (exchange === '') await publishToNobody(channel);
      // The removal of a binding that does not exist needs the same permission, and to read an exchange of the topology.
      else if (own) await channel.unbindExchange(exchange, own.name, NOBODY);
    }
  });
}

/**
 * Asks whether the user of a connection may read some queues, which a consumer that exists does not notice. Nothing here
 * reaches a queue: a message would count as delivered, and a `get` from a queue whose leader has just died costs the connection.
 *
 * @throws Error with code 403 if it may not, else if the broker does not answer
 */
export async function checkReading(connection: ChannelModel, queues: readonly string[]): Promise<void> {
  try {
    // Permissions go by names: who may read an exchange of this name may read the queue, and the broker logs nothing.
    await onChannel(connection, TIMEOUT_MS, 'a question', async (channel) => {
      for (const queue of queues) await channel.unbindQueue(queue, queue, NOBODY);
    });
  } catch {
    // An access backend may tell exchanges from queues. The broker logs that it refuses such a consumer.
    const impossible = { arguments: { 'x-priority': 'none' } };
    for (const queue of queues) {
      const consuming = onChannel(connection, TIMEOUT_MS, 'a question', (channel) =>
        channel.consume(queue, () => undefined, impossible),
      );
      await consuming.catch((error: unknown) => {
        // A queue that was deleted is declared again elsewhere; only a user who may read is told that the consumer is not possible.
        if (![NOT_FOUND, PRECONDITION_FAILED].includes(codeOf(error) ?? 0)) throw error;
      });
    }
  }
}

/**
 * Whether the user of a connection may declare, write to and read a queue of this name, and publish to the default exchange.
 *
 * @param queue a name that nobody uses, for a queue that goes with its channel
 * @returns the first permission that is missing, with the broker's reason
 */
export async function inspectPermissions(connection: ChannelModel, queue: string) {
  try {
    await onChannel(connection, INSPECTION_TIMEOUT_MS, 'the question', async (channel) => {
      await channel.assertQueue(queue, { exclusive: true, autoDelete: true });
      await publishToNobody(channel);
      await channel.consume(queue, () => undefined, { noAck: true });
    });
    return undefined;
  } catch (error) {
    const missing = missingPermissionIn(error);
    if (!missing) throw error;
    return missing;
  }
}

/** Whether the broker takes a message of this size, which is kept nowhere. @throws Error if it does not say */
export function takesMessageOf(connection: ChannelModel, bytes: number): Promise<boolean> {
  const taken = onChannel(connection, LARGE_MESSAGE_TIMEOUT_MS, 'the question', (channel) =>
    publishToNobody(channel, bytes),
  );
  return taken.then(() => true, refusedWith(PRECONDITION_FAILED, false));
}

/** What follows on the channel is answered once the broker took the message. */
async function publishToNobody(channel: Channel, bytes = 0): Promise<void> {
  channel.sendToQueue(NOBODY, Buffer.alloc(bytes));
  await channel.prefetch(1);
}

/** What the broker refused, as RabbitMQ 4 says it: the exchange or queue, the virtual host and the user. */
function missingPermissionIn(error: unknown) {
  const said = /ACCESS_REFUSED - ((configure|write|read) access [^"]+)/.exec((error as Error).message);
  return said ? { permission: said[2] as keyof Permissions, reason: String(said[1]) } : undefined;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
