import type { ChannelModel } from 'amqplib';

import {
  ACCESS_REFUSED,
  codeOf,
  NOT_FOUND,
  onChannel,
  PRECONDITION_FAILED,
} from './connection/on-channel.ts';
import type { Topology } from './topology/declare-topology.ts';

const TIMEOUT_MS = 2_000;
const INSPECTION_TIMEOUT_MS = 4_000;
/** The name of a queue and of a binding that do not exist. */
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
 * exchange it publishes for a queue that does not exist; the others it asks to remove such a binding, which needs the
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
    const asked = onChannel(connection, TIMEOUT_MS, 'a question', async (channel) => {
      if (exchange === '') {
        channel.sendToQueue(NOBODY, Buffer.alloc(0));
        await channel.waitForConfirms();
      } else if (source !== undefined) await channel.unbindExchange(exchange, source, NOBODY);
    });
    // An exchange that was deleted is declared again elsewhere.
    await asked.catch(unless(NOT_FOUND));
  }
}

/**
 * Asks whether the user of a connection may read some queues, which a consumer that exists does not notice: of an empty one
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
    const asked = onChannel(connection, TIMEOUT_MS, 'a question', async (channel) => {
      const { messageCount } = await channel.checkQueue(queue);
      // One that arrives in between goes back when the channel is closed.
      if (messageCount === 0) await channel.get(queue);
      else if (isDoubted) await channel.consume(queue, () => undefined, noConsumer);
    });
    await asked.catch(unless(NOT_FOUND, PRECONDITION_FAILED));
  }
}

/**
 * Whether the user of a connection may declare, write to and read a queue of this name, and publish to the default exchange.
 * The queue is made for that alone, and goes with its channel.
 *
 * @param queue a name that nobody uses
 * @returns the first permission that is missing
 */
export async function inspectPermissions(
  connection: ChannelModel,
  queue: string,
): Promise<MissingPermission | undefined> {
  let asked: MissingPermission['permission'] = 'configure';
  try {
    await onChannel(connection, INSPECTION_TIMEOUT_MS, 'the question', async (channel) => {
      await channel.assertQueue(queue, { exclusive: true, autoDelete: true });
      asked = 'write';
      channel.sendToQueue(queue, Buffer.from(NOBODY));
      await channel.waitForConfirms();
      asked = 'read';
      await channel.consume(queue, () => undefined, { noAck: true });
    });
    return undefined;
  } catch (error) {
    const missing = missingPermissionIn(error, asked);
    if (!missing) throw error;
    return missing;
  }
}

/** Passes an error on, unless the broker refused something with one of these codes. */
function unless(...codes: readonly number[]): (error: unknown) => void {
  return (error) => {
    if (!codes.includes(codeOf(error) as number)) throw error;
  };
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
