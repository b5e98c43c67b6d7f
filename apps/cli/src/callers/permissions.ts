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
const SERVER_NAMED = 'amq.gen-';
/** Names of the broker, the default exchange (`amq.default`) and the exchange of its trace among them. */
const OF_BROKER = 'amq.';
const SPECIAL = /[.*+?^${}()|[\]\\]/g;

/**
 * The least that a caller needs: it declares and reads its reply queues, publishes to the exchange of commands, and may
 * bind an exchange of its own to that one. It may not write to the default exchange, from which every queue is reached.
 * Names of the service and of the broker are never among its own, whatever its rules say.
 *
 * @param rules without `replyTo`, its queues begin with its name and a dot, or are named by the broker
 */
export function permissionsOf(caller: string, { replyTo }: CallerRules, prefix: string): Permissions {
  const { reserved, commands } = busNames(prefix);
  const queues = (replyTo ?? [`${caller}.*`, `${SERVER_NAMED}*`]).filter((name) => name !== DIRECT_REPLY_TO);
  const names = [...queues, `${caller}.commands`];
  const mayMeet = names.some((name) => [reserved, OF_BROKER].some((start) => meets(name, start)));
  const others = `(?!${escaped(reserved)}|${escaped(OF_BROKER)}(?!${escaped(SERVER_NAMED.slice(OF_BROKER.length))}))`;
  const patterns = names.map(patternOf);
  const own = mayMeet ? [`${others}(${patterns.join('|')})`] : patterns;
  return {
    configure: anyOf(own),
    write: anyOf([...own, patternOf(commands)]),
    read: anyOf(own),
  };
}

/** Whether a name, or one that begins like it, may begin with `start`; names that the broker makes up do not count. */
function meets(name: string, start: string): boolean {
  if (name.startsWith(SERVER_NAMED)) return false;
  return name.startsWith(start) || (name.endsWith('*') && start.startsWith(name.slice(0, -1)));
}

function patternOf(name: string): string {
  return name.endsWith('*') ? escaped(name.slice(0, -1)) : `${escaped(name)}$`;
}

function escaped(text: string): string {
  return text.replace(SPECIAL, '\\$&');
}

function anyOf(patterns: readonly string[]): string {
  return `^(${patterns.join('|')})`;
}
