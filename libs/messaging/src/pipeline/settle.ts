import type { BusNames } from '#contracts';

import type { Command } from '../command/command.ts';
import { copyOf, deadLetterOf } from '../command/copy-of.ts';
import { factsOf, failureFactsOf } from '../command/command-facts.ts';
import type { Settlement } from '../command/settlement.ts';
import type { MessagingSettings } from '../messaging-settings.ts';
import type { MessagingObserver } from '../observer/messaging-observer.ts';
import type { Outbox } from '../replies/outbox.ts';
import { isAnnounced } from '../replies/reply-message.ts';

type Published = Exclude<Settlement, { kind: 'return' }>;

export interface SettleOptions {
  readonly names: BusNames;
  readonly settings: Pick<MessagingSettings, 'EVENTS'>;
  readonly observer: MessagingObserver;
  /** The time of day, epoch milliseconds. */
  readonly nowMs: () => number;
}

/**
 * Carries out a settlement, and acknowledges the command once all messages are confirmed. No other function
 * acknowledges a command. Never rejects: without a confirm, the command is requeued.
 *
 * @returns the settlement that was carried out
 */
export async function settle(
  command: Command,
  settlement: Settlement,
  options: SettleOptions,
  outbox: Outbox,
): Promise<Settlement> {
  const { delivery } = command;
  if (settlement.kind === 'return') return giveBack(command, settlement.cause, options);
  // The broker redelivers the command, and the reply is replayed there: an answer from here would be a
  // repeat.
  const isAnswered = settlement.kind === 'answer' && settlement.isSent === true;
  if (!delivery.isAlive && !isAnswered) return { kind: 'return', cause: undefined };
  try {
    await publish(command, settlement, options, outbox);
  } catch (error) {
    return giveBack(command, error, options);
  }
  delivery.acknowledge();
  observe(command, settlement, options);
  return settlement;
}

function giveBack(command: Command, cause: unknown, { observer }: SettleOptions): Settlement {
  command.delivery.requeue();
  observer.commandReturned(factsOf(command), cause);
  return { kind: 'return', cause };
}

/** Publishes all messages of a settlement; resolves once they are confirmed. */
async function publish(
  command: Command,
  settlement: Published,
  { names, settings }: SettleOptions,
  outbox: Outbox,
): Promise<void> {
  if (settlement.kind === 'cancel') return;
  if ('copy' in settlement) return outbox.copy(command, copyOf(command, settlement.copy));
  const { kind, reply } = settlement;
  const publishing: Promise<void>[] = [];
  if (kind === 'dead-letter' || !settlement.isSent) publishing.push(outbox.settle(command, reply));
  if (isAnnounced(reply, settings.EVENTS)) publishing.push(outbox.announce(command, reply));
  if (kind === 'dead-letter')
    publishing.push(outbox.copy(command, deadLetterOf(command, settlement.reply.data, names)));
  await Promise.all(publishing);
}

function observe(command: Command, settlement: Published, { observer, nowMs }: SettleOptions): void {
  const facts = factsOf(command);
  if (settlement.kind === 'cancel') return observer.reportCanceled(facts);
  if (settlement.kind === 'move') return observer.commandMoved(facts, settlement.copy.queue);
  if (settlement.kind === 'postpone') {
    const { copy, failure, delayMs } = settlement;
    const until = new Date(nowMs() + delayMs).toISOString();
    const waiting = { delayMs, queue: copy.queue, until };
    return observer.commandPostponed(facts, failure.code, waiting, failureFactsOf(failure));
  }
  const { reply, cause } = settlement;
  if (settlement.kind === 'dead-letter') observer.deadLettered(facts, settlement.reply.data.code);
  if (reply.type !== 'command.failed') observer.commandAnswered(facts, 'success', cause);
  else observer.commandAnswered(facts, reply.data.code, cause, failureFactsOf(reply.data));
}
