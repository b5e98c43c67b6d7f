import { setTimeout as sleep } from 'node:timers/promises';

import { until } from '../../support/until.ts';
import type { DurableCaller, SeenReply } from './durable-caller.ts';

const INTERVAL_MS = 15;
/** One of so many commands is a report. */
const REPORT_EVERY = 20;
const PERIOD = { dateFrom: '2026-01-01 00:00:00', dateTo: '2026-01-02 00:00:00', perPage: 1 };
const SETTLE_TIMEOUT_MS = 30_000;

/** The outcome of one command of a load. */
export interface Outcome {
  readonly id: string;
  readonly isReport: boolean;
  /** Message ids in the order in which each was seen first. */
  readonly messageIds: readonly string[];
  /** Types of the final replies, without repeats. */
  readonly finalTypes: readonly string[];
  /** Whether all replies under one message id are identical, but for the time when a report was read. */
  readonly repeatsAreEqual: boolean;
}

/** Sends sessions without a break, and some reports, until it is stopped. */
export class Load {
  readonly #caller: DurableCaller;
  readonly #ids: string[] = [];
  readonly #confirmed = new Set<string>();
  readonly #publishes: Promise<void>[] = [];
  readonly #sending: Promise<void>;
  #isStopped = false;

  /** @param name the prefix of every id, and of the players' ids */
  constructor(caller: DurableCaller, name: string) {
    this.#caller = caller;
    this.#sending = this.#send(name);
  }

  /** Commands so far. */
  get sent(): number {
    return this.#ids.length;
  }

  /** Waits until some more commands were sent and answered. */
  async goOn(commands: number): Promise<void> {
    const from = this.sent;
    await until(`${commands} more are sent`, () => this.sent >= from + commands, SETTLE_TIMEOUT_MS);
    const ids = this.#ids.slice(from, from + commands);
    await this.#untilAnswered(ids);
  }

  /** Sends no more. */
  end(): void {
    this.#isStopped = true;
  }

  /** Stops sending, waits for every answer, and returns the outcome of each command. */
  async stop(): Promise<readonly Outcome[]> {
    this.end();
    await this.#sending;
    await Promise.all(this.#publishes);
    await this.#untilAnswered(this.#ids);
    const byId = Map.groupBy(this.#caller.seen, ({ correlationId }) => correlationId);
    return this.#ids.map((id, index) => outcomeOf(id, isReport(index), byId.get(id) ?? []));
  }

  async #send(name: string): Promise<void> {
    for (let index = 0; !this.#isStopped; index += 1) {
      const id = `${name}-${index}`;
      this.#ids.push(id);
      const publish = isReport(index)
        ? this.#caller.publish('report.rake.fetch', id, PERIOD)
        : this.#caller.publish('session.create', id, { userId: id });
      this.#publishes.push(publish.then(() => void this.#confirmed.add(id)));
      await sleep(INTERVAL_MS);
    }
  }

  async #untilAnswered(ids: readonly string[]): Promise<void> {
    try {
      await until('all are answered', () => this.#unanswered(ids).length === 0, SETTLE_TIMEOUT_MS);
    } catch {
      const unanswered = this.#unanswered(ids).map((id) =>
        this.#confirmed.has(id) ? id : `${id} (unconfirmed)`,
      );
      const lying = await this.#caller.count(this.#caller.replyQueue);
      throw new Error(
        `no final reply to ${unanswered.join(', ')}, of ${this.sent} sent; ${lying} lie in the reply queue`,
      );
    }
  }

  #unanswered(ids: readonly string[]): string[] {
    const final = this.#caller.seen.filter(({ isFinal }) => isFinal);
    const answered = new Set(final.map(({ correlationId }) => correlationId));
    return ids.filter((id) => !answered.has(id));
  }
}

function isReport(index: number): boolean {
  return index % REPORT_EVERY === 0;
}

function outcomeOf(id: string, report: boolean, replies: readonly SeenReply[]): Outcome {
  const texts = new Map<string, string>();
  for (const { messageId, text } of replies)
    if (!texts.has(messageId)) texts.set(messageId, withoutTimes(text));
  return {
    id,
    isReport: report,
    messageIds: [...texts.keys()],
    finalTypes: [...new Set(replies.filter(({ isFinal }) => isFinal).map(({ type }) => type))],
    repeatsAreEqual: replies.every(({ messageId, text }) => texts.get(messageId) === withoutTimes(text)),
  };
}

/** A report that another worker reads again from its first page says when it did; the rest is the same. */
export function withoutTimes(text: string): string {
  return text.replaceAll(/"read(?:At|From|To)":"[^"]*"/g, '');
}
