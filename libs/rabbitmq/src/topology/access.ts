import type { Channel, ChannelModel } from 'amqplib';

import { readAddress } from '../connection/address.ts';
import { onChannel } from '../channel/channel.ts';
import { codeOf, NOT_FOUND, PRECONDITION_FAILED, refusedWith } from '../channel/refusal.ts';
import type { Topology } from './topology.ts';

const TIMEOUT_MS = 2_000;
/** The limit if a person waits for the answer. */
const INSPECTION_TIMEOUT_MS = 4_000;
const LARGE_MESSAGE_TIMEOUT_MS = 30_000;
/** The name of a queue and a binding that do not exist. */
const NOBODY = 'a question about permissions';

/** The permissions that a service needs, as regular expressions of names. */
export type Permissions = Readonly<Record<'configure' | 'write' | 'read', string>>;

/**
 * Returns advice for a refusal: the missing permission, and the `rabbitmqctl` command that grants all
 * permissions needed.
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

/**
 * Returns the `rabbitmqctl` command that grants permissions in the URL's virtual host. Default user: that of
 * the URL.
 */
export function permissionsLine(
  url: string,
  { configure, write, read }: Permissions,
  forUser?: string,
): string {
  const { virtualHost, user } = readAddress(url);
  const [vhost, ...others] = [virtualHost, forUser ?? user, configure, write, read].map(quoted);
  return `rabbitmqctl set_permissions --vhost ${vhost} ${others.join(' ')}`;
}

/**
 * Checks that the user of a connection may publish to some exchanges, without sending a message to anyone. It
 * uses a new channel, because a channel caches granted permissions.
 *
 * @throws Error with code 403 if the user may not publish, or without a code if the broker does not answer
 */
export function checkPublishing(
  connection: ChannelModel,
  exchanges: readonly string[],
  { exchanges: [own] }: Topology,
): Promise<void> {
  return onChannel(connection, TIMEOUT_MS, 'a question', async (channel) => {
    for (const exchange of exchanges) {
      if (exchange === '') await publishToNobody(channel);
      // Removing a binding that does not exist needs the same permission, and read permission on an own
      // exchange.
      else if (own) await channel.unbindExchange(exchange, own.name, NOBODY);
    }
  });
}

/**
 * Checks that the user of a connection may read some queues: an existing consumer does not notice a revoked
 * permission. No request reaches a queue, because a message would count as delivered, and a `get` from a
 * queue whose leader just died closes the connection.
 *
 * @throws Error with code 403 if the user may not read, or without a code if the broker does not answer
 */
export async function checkReading(connection: ChannelModel, queues: readonly string[]): Promise<void> {
  try {
    // Permissions are granted by name: a user who may read an exchange of this name may read the queue. The
    // broker logs nothing.
    await onChannel(connection, TIMEOUT_MS, 'a question', async (channel) => {
      for (const queue of queues) await channel.unbindQueue(queue, queue, NOBODY);
    });
  } catch {
    // An authorization backend may distinguish exchanges and queues. The broker logs a refused consumer.
    const impossible = { arguments: { 'x-priority': 'none' } };
    for (const queue of queues) {
      const consuming = onChannel(connection, TIMEOUT_MS, 'a question', (channel) =>
        channel.consume(queue, () => undefined, impossible),
      );
      await consuming.catch((error: unknown) => {
        // A deleted queue is redeclared elsewhere. Only a user who may read gets the error of the invalid
        // argument.
        if (![NOT_FOUND, PRECONDITION_FAILED].includes(codeOf(error) ?? 0)) throw error;
      });
    }
  }
}

/**
 * Checks that the user of a connection may declare, write to and read a queue, and publish to the default
 * exchange.
 *
 * @param queue an unused name for a temporary queue
 * @returns the first missing permission with the broker's reason; undefined if none is missing
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

/**
 * Returns true if the broker accepts a message of this size, which no queue stores.
 *
 * @throws Error if it does not answer
 */
export function takesMessageOf(connection: ChannelModel, bytes: number): Promise<boolean> {
  const taken = onChannel(connection, LARGE_MESSAGE_TIMEOUT_MS, 'the question', (channel) =>
    publishToNobody(channel, bytes),
  );
  return taken.then(() => true, refusedWith(PRECONDITION_FAILED, false));
}

/** Publishes to a queue that does not exist, and waits until the broker has accepted the message. */
async function publishToNobody(channel: Channel, bytes = 0): Promise<void> {
  channel.sendToQueue(NOBODY, Buffer.alloc(bytes));
  await channel.prefetch(1);
}

/**
 * Parses RabbitMQ's refusal, which names the permission, the exchange or queue, the virtual host and the
 * user.
 */
function missingPermissionIn(error: unknown) {
  const said = /ACCESS_REFUSED - ((configure|write|read) access [^"]+)/.exec((error as Error).message);
  return said ? { permission: said[2] as keyof Permissions, reason: String(said[1]) } : undefined;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
