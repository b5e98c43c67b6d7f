import { busNames } from '#contracts';
import type { CallerRules } from '#settings';

/** What a broker user may do, as patterns of names. */
export interface Permissions {
  readonly configure: string;
  readonly write: string;
  readonly read: string;
}

/** Consumed without any permission. */
const DIRECT_REPLY_TO = 'amq.rabbitmq.reply-to';
/** What the broker names queues that are declared without a name; an exclusive one belongs to its connection. */
const SERVER_NAMED = 'amq.gen-*';
const SPECIAL = /[.*+?^${}()|[\]\\]/g;

/**
 * The least that a caller needs: it declares and reads its reply queues, publishes to the exchange of commands, and may
 * bind an exchange of its own to that one. It may not write to the default exchange, from which every queue is reached.
 *
 * @param rules without `replyTo`, its queues begin with its name and a dot, or are named by the broker
 */
export function permissionsOf(caller: string, { replyTo }: CallerRules, prefix: string): Permissions {
  const queues = (replyTo ?? [`${caller}.*`, SERVER_NAMED])
    .filter((queue) => queue !== DIRECT_REPLY_TO)
    .map(patternOf);
  const exchange = patternOf(`${caller}.commands`);
  const own = [...queues, exchange];
  return {
    configure: anyOf(own),
    write: anyOf([...own, patternOf(busNames(prefix).commands)]),
    read: anyOf(own),
  };
}

/** The least that a worker needs. It answers by the default exchange, from which a reply gets to any queue. */
export function workerPermissions(prefix: string): Permissions {
  const own = patternOf(`${busNames(prefix).reserved}*`);
  return { configure: `^${own}`, write: anyOf([own, patternOf('amq.default')]), read: `^${own}` };
}

function patternOf(name: string): string {
  const isBeginning = name.endsWith('*');
  const text = (isBeginning ? name.slice(0, -1) : name).replace(SPECIAL, '\\$&');
  return isBeginning ? text : `${text}$`;
}

function anyOf(patterns: readonly string[]): string {
  return `^(${patterns.join('|')})`;
}
