import type { ConsumeMessage } from 'amqplib';

import { publishRaw } from '../../support/raw-message.ts';
import type { ServiceUnderTest } from '../../support/service-under-test.ts';
import { WAIT_TIMEOUT_MS } from '../../support/until.ts';
import type { HostileMessage } from './hostile-message.ts';

const DIRECT = 'amq.rabbitmq.reply-to';

/** The outcome of one message. */
export interface Entry {
  readonly sent: HostileMessage;
  /** Replies that are not final, delivered or parked. */
  readonly pages: ConsumeMessage[];
  /** Final replies. */
  readonly replies: ConsumeMessage[];
  readonly deadLetters: ConsumeMessage[];
  /** Final replies that were parked. */
  readonly undelivered: ConsumeMessage[];
}

/** Sends hostile messages, and records the outcome of each. */
export class Ledger {
  readonly entries = new Map<string, Entry>();
  readonly #service: ServiceUnderTest;
  readonly #replyQueue: string;
  readonly #waiting = new Map<string, () => void>();

  private constructor(service: ServiceUnderTest, replyQueue: string) {
    this.#service = service;
    this.#replyQueue = replyQueue;
  }

  /** The worker must have declared its queues. */
  static async open(service: ServiceUnderTest): Promise<Ledger> {
    const { channel } = service.caller;
    const { queue } = await channel.assertQueue('', { exclusive: true });
    const ledger = new Ledger(service, queue);
    const consume = (from: string, kind: 'replies' | 'deadLetters' | 'undelivered') =>
      channel.consume(from, (message) => message && ledger.#note(kind, message), { noAck: true });
    await consume(queue, 'replies');
    await consume(DIRECT, 'replies');
    await consume(service.name('dead-letters'), 'deadLetters');
    await consume(service.name('replies.undelivered'), 'undelivered');
    return ledger;
  }

  /** Sends a message, and waits for its outcome. */
  async settle(correlationId: string, sent: HostileMessage): Promise<Entry> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const timer = setTimeout(() => reject(new Error('nothing became of it')), WAIT_TIMEOUT_MS);
    this.#waiting.set(correlationId, resolve);
    this.#send(correlationId, sent);
    await promise.finally(() => clearTimeout(timer));
    return this.entries.get(correlationId) as Entry;
  }

  #send(correlationId: string, sent: HostileMessage): void {
    const { channel } = this.#service.caller;
    const { to, content, options } = sent;
    this.entries.set(correlationId, { sent, pages: [], replies: [], deadLetters: [], undelivered: [] });
    const properties = { ...options, correlationId, ...this.#replyTo(sent) };
    if (sent.rawHeaders) {
      const route =
        'queue' in to
          ? { routingKey: this.#service.name(to.queue) }
          : { exchange: this.#service.name('commands'), routingKey: to.routingKey };
      const { type, replyTo } = properties;
      publishRaw(channel, route, { correlationId, replyTo, type, headers: sent.rawHeaders }, content);
    } else if ('queue' in to) channel.sendToQueue(this.#service.name(to.queue), content, properties);
    else channel.publish(this.#service.name('commands'), to.routingKey, content, properties);
  }

  #replyTo({ replyTo }: HostileMessage): { replyTo?: string } {
    if (replyTo === 'missing') return {};
    if (replyTo === 'usable') return { replyTo: this.#replyQueue };
    if (replyTo === 'direct') return { replyTo: DIRECT };
    return { replyTo: replyTo === 'ours' ? this.#service.name('interactive') : 'no-such-queue' };
  }

  #note(kind: 'replies' | 'deadLetters' | 'undelivered', message: ConsumeMessage): void {
    const { correlationId, headers } = message.properties;
    const entry = this.entries.get(String(correlationId));
    if (!entry) throw new Error(`not sent by this test: ${String(correlationId)}`);
    if (kind !== 'deadLetters' && headers?.['final'] !== true) {
      entry.pages.push(message);
      return;
    }
    entry[kind].push(message);
    if (!isOutcome(entry, kind) || entry[kind].length > 1) return;
    this.#waiting.get(String(correlationId))?.();
  }
}

/** Whether a message of this kind is meant for the sender. */
function isOutcome({ sent: { replyTo } }: Entry, kind: string): boolean {
  if (replyTo === 'usable' || replyTo === 'direct') return kind === 'replies';
  return kind === (replyTo === 'gone' ? 'undelivered' : 'deadLetters');
}

/** Whether it was answered once, or dead-lettered once if it has no reply queue. */
export function isAccountedFor({ sent: { replyTo }, replies, deadLetters, undelivered }: Entry): boolean {
  const [answered, kept, dead] = [replies.length, undelivered.length, deadLetters.length];
  if (replyTo === 'usable' || replyTo === 'direct') return answered === 1 && kept === 0 && dead <= 1;
  if (replyTo === 'gone') return answered === 0 && kept === 1 && dead <= 1;
  return answered === 0 && kept === 0 && dead === 1;
}
