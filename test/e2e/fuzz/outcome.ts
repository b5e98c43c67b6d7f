import type { ConsumeMessage } from 'amqplib';

import { publishRaw } from '../../support/raw-message.ts';
import type { Testimony, Witness } from '../bad-input/witness.ts';
import type { HostileMessage } from './hostile-message.ts';

export const DIRECT = 'amq.rabbitmq.reply-to';

export interface Outcome extends Testimony {
  readonly sent: HostileMessage;
}

/** Sends a message, and waits for the outcome that the sender should receive. */
export async function settle(
  witness: Witness,
  correlationId: string,
  sent: HostileMessage,
): Promise<Outcome> {
  send(witness, correlationId, sent);
  const kind = { usable: 'replies', direct: 'replies', gone: 'undelivered', missing: 'deadLetters' } as const;
  const awaited = kind[sent.replyTo === 'ours' ? 'missing' : sent.replyTo];
  const isOver = (seen: Testimony): boolean =>
    awaited === 'deadLetters' ? seen.deadLetters.length > 0 : seen[awaited].some(isFinal);
  return { ...(await witness.until('something becomes of it', isOver, correlationId)), sent };
}

function isFinal({ properties }: ConsumeMessage): boolean {
  return properties.headers?.['final'] === true;
}

/** Returns the final replies, delivered or parked. */
export function finalsOf({ replies, undelivered }: Outcome): readonly ConsumeMessage[] {
  return [...replies, ...undelivered].filter(isFinal);
}

/** True if the command was answered once or, without a reply queue, dead-lettered once. */
export function isAccountedFor({ sent: { replyTo }, replies, deadLetters, undelivered }: Outcome): boolean {
  const answered = replies.filter(isFinal).length;
  const parked = undelivered.filter(isFinal).length;
  const dead = deadLetters.length;
  if (replyTo === 'usable' || replyTo === 'direct') return answered === 1 && parked === 0 && dead <= 1;
  if (replyTo === 'gone') return answered === 0 && parked === 1 && dead <= 1;
  return answered === 0 && parked === 0 && dead === 1;
}

function send(witness: Witness, correlationId: string, { to, content, options, ...sent }: HostileMessage) {
  const { service } = witness;
  const { channel } = service.caller;
  const replyTo = {
    usable: witness.replyQueue,
    direct: DIRECT,
    ours: service.name('interactive'),
    gone: 'no-such-queue',
    missing: undefined,
  }[sent.replyTo];
  const [exchange, routingKey] =
    'queue' in to ? ['', service.name(to.queue)] : [service.name('commands'), to.routingKey];
  if (sent.rawHeaders === undefined) {
    const address = replyTo === undefined ? {} : { replyTo };
    channel.publish(exchange, routingKey, content, { ...options, correlationId, ...address });
  } else {
    const properties = { correlationId, replyTo, type: options.type, headers: sent.rawHeaders };
    publishRaw(channel, { exchange, routingKey }, properties, content);
  }
}
