import type { SeenReply } from '../stage/durable-caller.ts';

/** What happened to one command, with the times of it. */
export interface Entry {
  readonly id: string;
  readonly type: string;
  readonly sentMs: number;
  /** Whether it is itself what the row breaks: it is called as often as it is started, and may take as long as it takes. */
  readonly isDisturbance: boolean;
  /** How often it was published: again, until the broker had confirmed it. */
  publishes: number;
  deliveredMs?: number;
  readonly calledMs: number[];
  /** One that the broker delivered twice is entered once. */
  readonly replies: SeenReply[];
}

export class Ledger {
  readonly #entries = new Map<string, Entry>();
  #answered = 0;

  get size(): number {
    return this.#entries.size;
  }

  get answered(): number {
    return this.#answered;
  }

  get entries(): readonly Entry[] {
    return [...this.#entries.values()];
  }

  sent(id: string, type: string, isDisturbance = false): void {
    this.#entries.set(id, {
      id,
      type,
      sentMs: Date.now(),
      isDisturbance,
      publishes: 0,
      calledMs: [],
      replies: [],
    });
  }

  published(id: string): void {
    const entry = this.#entries.get(id);
    if (entry) entry.publishes += 1;
  }

  delivered(id: string): void {
    const entry = this.#entries.get(id);
    if (entry) entry.deliveredMs ??= Date.now();
  }

  called(id: string): void {
    this.#entries.get(id)?.calledMs.push(Date.now());
  }

  /** @returns whether it was the first final reply to a command of this run */
  replied(reply: SeenReply): boolean {
    const entry = this.#entries.get(reply.correlationId);
    if (entry === undefined) return false;
    // Delivered again by the broker; the service has sent it once.
    if (reply.isRedelivered && entry.replies.some(({ messageId }) => messageId === reply.messageId))
      return false;
    const isFirst = reply.isFinal && entry.replies.every(({ isFinal }) => !isFinal);
    entry.replies.push(reply);
    if (isFirst) this.#answered += 1;
    return isFirst;
  }
}

/** What an error body says of itself. */
export interface Failure {
  readonly code: string;
  readonly retryable: boolean;
  readonly details?: { readonly called?: unknown };
}

/** The failure that a reply tells of; undefined if it tells of none. */
export function failureIn({ type, text }: Pick<SeenReply, 'type' | 'text'>): Failure | undefined {
  return type === 'command.failed' ? (JSON.parse(text) as Failure) : undefined;
}
