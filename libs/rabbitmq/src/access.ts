import type { ChannelModel } from 'amqplib';

import { onChannel, onConfirmChannel } from './connection/on-channel.ts';
import type { Topology } from './topology/topology.ts';

const ACCESS_REFUSED = 403;
const NOT_FOUND = 404;
const PRECONDITION_FAILED = 406;
const TIMEOUT_MS = 2_000;
/** The name of a queue that nobody has, and of a binding that is none. */
const NOBODY = 'a question about permissions';

/** A permission that the broker user lacks. */
export interface MissingPermission {
  readonly permission: 'configure' | 'write' | 'read';
  /** In the broker's words: the exchange or queue, the virtual host and the user. */
  readonly reason: string;
}

/** The permissions that a service needs, as patterns of names. */
export interface Permissions {
  readonly configure: string;
  readonly write: string;
  readonly read: string;
}

/**
 * What the broker refused; `undefined` if the error says something else.
 *
 * @param asked what the refused request needs, for a broker that does not say it
 */
export function missingPermissionIn(
  error: unknown,
  asked: MissingPermission['permission'],
): MissingPermission | undefined {
  const { code, message } = error as { code?: unknown; message?: string };
  if (code !== ACCESS_REFUSED) return undefined;
  const reason = /ACCESS_REFUSED - ([^"]+)/.exec(message ?? '')?.[1] ?? message ?? '';
  const [, said] = /^(configure|write|read) access/.exec(reason) ?? [];
  return { permission: (said as MissingPermission['permission'] | undefined) ?? asked, reason };
}

/**
 * A sentence for people: what is missing, and the line that gives the user what the service needs.
 *
 * @param user of the broker
 * @param virtualHost its name
 */
export function adviceOn(
  { permission, reason }: MissingPermission,
  { configure, write, read }: Permissions,
  user: string,
  virtualHost: string,
): string {
  const [vhost, name] = [virtualHost, user].map(quoted);
  const patterns = [configure, write, read].map(quoted).join(' ');
  return `the broker user lacks the ${permission} permission (${reason}): rabbitmqctl set_permissions --vhost ${vhost} ${name} ${patterns}`;
}

/**
 * Asks whether the user of a connection may publish to some exchanges, without a message for anybody: to the default
 * exchange it publishes for a queue that nobody has; the others it asks to remove a binding that is none, which needs the
 * same permission, and to read an exchange of the topology. Each question takes a fresh channel, since a channel keeps
 * what the broker once allowed it.
 *
 * @throws Error with code 403 if it may not, else if the broker does not answer
 */
export async function checkPublishing(
  connection: ChannelModel,
  exchanges: readonly string[],
  { bindings }: Topology,
): Promise<void> {
  const source = bindings[0]?.exchange;
  for (const exchange of exchanges) {
    if (exchange === '') {
      await onConfirmChannel(connection, TIMEOUT_MS, 'a publish', async (channel) => {
        channel.sendToQueue(NOBODY, Buffer.alloc(0));
        await channel.waitForConfirms();
      });
    } else if (source !== undefined) {
      const asked = onChannel(connection, TIMEOUT_MS, 'a question', (channel) =>
        channel.unbindExchange(exchange, source, NOBODY),
      );
      await asked.catch((error: unknown) => {
        // An exchange that was deleted is declared again elsewhere.
        if ((error as { code?: unknown }).code !== NOT_FOUND) throw error;
      });
    }
  }
}

/**
 * Asks whether the user of a connection may read some queues, which a consumer that stands does not notice: of an empty one
 * it tries to take a message, and of others it asks for a consumer that cannot be, since a message would count as delivered.
 *
 * @param isDoubted whether a permission is known to be missing; else only empty queues are asked for, since the broker writes
 *   each refused consumer into its log
 * @throws Error with code 403 if it may not, else if the broker does not answer
 */
export async function checkReading(
  connection: ChannelModel,
  queues: readonly string[],
  isDoubted: boolean,
): Promise<void> {
  const noConsumer = { arguments: { 'x-priority': 'none' } };
  for (const queue of queues) {
    await onChannel(connection, TIMEOUT_MS, 'a question', async (channel) => {
      const { messageCount } = await channel.checkQueue(queue);
      // One that arrives in between goes back when the channel is closed.
      if (messageCount === 0) await channel.get(queue);
      else if (isDoubted) await channel.consume(queue, () => undefined, noConsumer);
    }).catch((error: unknown) => {
      const { code } = error as { code?: unknown };
      if (code !== NOT_FOUND && code !== PRECONDITION_FAILED) throw error;
    });
  }
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
