import type { SeenReply } from '../stage/durable-caller.ts';

/** How long before and after a command what happened belongs to its story. */
const AROUND_MS = 1_000;

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

/** Something that was broken, or worked again. */
export interface Happening {
  readonly atMs: number;
  readonly what: string;
}

/**
 * What happened to a command in one line, with what was broken around it.
 *
 * @param startedMs from which times are counted
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
