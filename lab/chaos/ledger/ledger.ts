import type { SeenReply } from '../stage/durable-caller.ts';

/** Faults up to this long before or after a command are part of its story. */
const AROUND_MS = 1_000;

/** The events of one command, with their times. */
export interface Entry {
  readonly id: string;
  readonly type: string;
  readonly sentMs: number;
  /** True if the command is itself the fault of the row: its calls and its duration are not limited. */
  readonly isDisturbance: boolean;
  /** The number of times that the command was published until the broker confirmed it. */
  publishes: number;
  deliveredMs?: number;
  readonly calledMs: number[];
  /** The distinct replies, each once even if the broker delivered it twice. */
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

  /** @returns true if it was the first final reply to a command of this run */
  replied(reply: SeenReply): boolean {
    const entry = this.#entries.get(reply.correlationId);
    if (entry === undefined) return false;
    // The broker redelivered this reply; the service sent it once.
    if (reply.isRedelivered && entry.replies.some(({ messageId }) => messageId === reply.messageId))
      return false;
    const isFirst = reply.isFinal && entry.replies.every(({ isFinal }) => !isFinal);
    entry.replies.push(reply);
    if (isFirst) this.#answered += 1;
    return isFirst;
  }
}

/** The code and category of an error body. */
export interface Failure {
  readonly code: string;
  readonly retryable: boolean;
  readonly details?: { readonly called?: unknown };
}

/** Returns the failure in a reply; undefined for a success. */
export function failureIn({ type, text }: Pick<SeenReply, 'type' | 'text'>): Failure | undefined {
  return type === 'command.failed' ? (JSON.parse(text) as Failure) : undefined;
}

/** The start or the end of a fault. */
export interface Happening {
  readonly atMs: number;
  readonly what: string;
}

/**
 * Returns the story of a command in one line, with the faults around it.
 *
 * @param startedMs the time to which all others are relative
 */
export function storyOf(
  { id, type, sentMs, deliveredMs, calledMs, replies }: Entry,
  startedMs: number,
  happenings: readonly Happening[],
): string {
  const own: Happening[] = [
    { atMs: sentMs, what: 'sent' },
    ...(deliveredMs === undefined ? [] : [{ atMs: deliveredMs, what: 'delivered' }]),
    ...calledMs.map((atMs) => ({ atMs, what: 'called' })),
    ...replies.map((reply) => ({
      atMs: reply.atMs,
      what: `replied ${failureIn(reply)?.code ?? reply.type} ${reply.messageId}`,
    })),
  ];
  const times = own.map(({ atMs }) => atMs);
  const [from, to] = [Math.min(...times) - AROUND_MS, Math.max(...times) + AROUND_MS];
  const at = ({ atMs, what }: Happening): string => `${what} ${((atMs - startedMs) / 1_000).toFixed(3)} s`;
  const told = [
    ...own.map((each) => ({ ...each, text: at(each) })),
    ...happenings
      .filter(({ atMs }) => atMs >= from && atMs <= to)
      .map((each) => ({ ...each, text: `[${at(each)}]` })),
  ].toSorted((one, other) => one.atMs - other.atMs);
  return `${id} (${type}): ${told.map(({ text }) => text).join(', ')}`;
}
