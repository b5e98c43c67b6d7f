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
  readonly last: {
    /** The id of the command. */
    readonly id: string;
    readonly type: string;
    /** Where the command was when it failed, or where the reply was sent to. */
    readonly queue: string;
    /** ISO 8601. */
    readonly failedAt: string | undefined;
    readonly failure: FailureFacts | undefined;
  };
}

/** A look into a queue that keeps messages for people: how many there are of each reason, and the latest of them. */
export class KeptSummary {
  readonly #reasons = new Map<string, KeptReason>();

  get reasons(): readonly KeptReason[] {
    return [...this.#reasons.values()].filter(({ count }) => count > 0).toSorted((a, b) => b.count - a.count);
  }

  get messages(): number {
    return this.reasons.reduce((sum, { count }) => sum + count, 0);
  }

  /** @returns what takes it out again, if it does not stay in the queue */
  add(message: ConsumeMessage): () => void {
    const { commandId, type, queue, failedAt, reason: given } = keptMessageOf(message);
    const known = this.#reasons.has(given) || this.#reasons.size < MOST_REASONS;
    const reason = known ? given.slice(0, LONGEST_NAME) : OTHERS;
    const last = {
      id: commandId.slice(0, LONGEST_NAME),
      type: type.slice(0, LONGEST_NAME),
      queue: queue.slice(0, LONGEST_NAME),
      failedAt,
      failure: failureIn(message),
    };
    this.#count(reason, 1, last);
    return () => this.#count(reason, -1, this.#reasons.get(reason)?.last ?? last);
  }

  #count(reason: string, by: 1 | -1, last: KeptReason['last']): void {
    const { count = 0, since = last.failedAt } = this.#reasons.get(reason) ?? {};
    this.#reasons.set(reason, { reason, count: count + by, since, last });
  }
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
