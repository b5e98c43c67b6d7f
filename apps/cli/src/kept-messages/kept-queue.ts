import {
  type Kept,
  type KeptMessage,
  type KeptQueue,
  type KeptQueueOptions,
  openKeptQueue,
} from '#messaging/client';
import { readInternalKey } from '#settings';

import { readBus } from '../servers.ts';
import type { Options } from '../options.ts';
import { interruptibly, refuseIfInterrupted } from '../interruption.ts';

export type QueueName = KeptQueueOptions['queue'];

/** What the messages of a queue are called, as one and as many. */
export const NOUNS = {
  deadLetters: ['dead letter', 'dead letters'],
  undelivered: ['parked reply', 'parked replies'],
} as const satisfies Record<QueueName, unknown>;

/** Which messages are meant: those that fit every option that is given, and any of its values. */
export type SelectionOptions = {
  readonly [N in 'id' | 'reason' | 'type' | 'caller' | 'queue']?: readonly string[];
} & Options<never, 'all', 'since'>;

export function isSelected(
  { id, commandId, reason, type, caller = 'anonymous', queue, failedAt = '' }: KeptMessage,
  options: SelectionOptions,
): boolean {
  const fits = (values: readonly string[] | undefined, ...facts: readonly string[]): boolean =>
    values === undefined || facts.some((fact) => values.includes(fact));
  return (
    fits(options.id, id, commandId) &&
    fits(options.reason, reason) &&
    fits(options.type, type) &&
    fits(options.caller, caller) &&
    fits(options.queue, queue) &&
    (options.since === undefined || Date.parse(failedAt) >= options.since)
  );
}

/**
 * Opens a queue for as long as `work` takes. Where the messages come from is proved by the key of the workers, if the settings
 * give it.
 *
 * @param selection by a caller needs that key
 * @param work ends soon after its signal, the user's, is aborted
 * @throws SettingsError; BrokerError if the broker is away, refuses the user or has no such queue
 */
export function withKeptQueue<T>(
  queue: QueueName,
  { caller }: SelectionOptions,
  work: (kept: KeptQueue, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  return interruptibly(async (signal) => {
    const internalKey = caller ? readInternalKey(process.env) : internalKeyIfGiven();
    await using kept = await openKeptQueue({ ...readBus(), queue, internalKey });
    return await work(kept, signal);
  });
}

/**
 * Looks at every message, and leaves all of them in their places.
 *
 * @param read what is wanted of a message; undefined if nothing is
 * @throws BrokerError; ExitError if the user interrupts it
 */
export async function collect<T>(
  kept: KeptQueue,
  signal: AbortSignal,
  read: (kept: Kept) => T | undefined,
): Promise<T[]> {
  let found: T[] = [];
  await kept.look(
    (each) => {
      const wanted = read(each);
      if (wanted !== undefined) found.push(wanted);
    },
    () => void (found = []),
  );
  refuseIfInterrupted(signal);
  return found;
}

function internalKeyIfGiven(): Buffer | undefined {
  try {
    return readInternalKey(process.env);
  } catch {
    return undefined;
  }
}
