import type { ConsumeMessage } from 'amqplib';

import type { FailureFacts } from '../observer/messaging-observer.ts';
import { keptMessageOf } from './kept-message.ts';

/** Reasons, ids and names of queues come from messages, which anybody who may write to the queue can make up. */
const MOST_REASONS = 20;
const LONGEST_NAME = 200;
const LONGEST_FAILURE = 4_096;
const OTHERS = 'other reasons';

/** What lies in a queue that keeps messages for people, under one reason. */
export interface KeptReason {
  readonly reason: string;
  readonly count: number;
  /** When the first of them failed, ISO 8601. */
  readonly since: string | undefined;
  /** The latest of them. */
  readonly last: ReturnType<typeof shownOf>;
}

/** A look into a queue that keeps messages for people: how many there are of each reason, and the latest of them. */
export class KeptSummary {
  readonly #reasons = new Map<string, KeptReason>();

  /** The most frequent first. */
  get reasons(): readonly KeptReason[] {
    return [...this.#reasons.values()].filter(({ count }) => count > 0).toSorted((a, b) => b.count - a.count);
  }

  get messages(): number {
    return this.reasons.reduce((sum, { count }) => sum + count, 0);
  }

  /** @returns what takes it out again, if it does not stay in the queue */
  add(message: ConsumeMessage): () => void {
    const name = short(keptMessageOf(message).reason);
    const reason = this.#reasons.has(name) || this.#reasons.size < MOST_REASONS ? name : OTHERS;
    const last = shownOf(message);
    const { count = 0, since = last.failedAt } = this.#reasons.get(reason) ?? {};
    this.#reasons.set(reason, { reason, count: count + 1, since, last });
    return () => {
      const kept = this.#reasons.get(reason);
      if (kept) this.#reasons.set(reason, { ...kept, count: kept.count - 1 });
    };
  }
}

/** What people are shown of a message; `id` is the one of its command, and `failedAt` ISO 8601. */
function shownOf(message: ConsumeMessage) {
  const { commandId, type, queue, failedAt } = keptMessageOf(message);
  return {
    id: short(commandId),
    type: short(type),
    queue: short(queue),
    failedAt,
    failure: failureIn(message),
  };
}

function short(text: string): string {
  return text.slice(0, LONGEST_NAME);
}

/** The header `x-failure` as a worker wrote it; `undefined` for anything else. */
function failureIn({ properties }: ConsumeMessage): FailureFacts | undefined {
  const text: unknown = properties.headers?.['x-failure'];
  if (typeof text !== 'string' || text.length > LONGEST_FAILURE) return undefined;
  try {
    const { status, pointers, reason } = JSON.parse(text) as Partial<Record<keyof FailureFacts, unknown>>;
    return {
      ...(typeof status === 'number' && { status }),
      ...(Array.isArray(pointers) && { pointers: pointers.map(String) }),
      reason: String(reason),
    };
  } catch {
    return undefined;
  }
}
