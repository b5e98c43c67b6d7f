import type { ConsumeMessage, XDeath } from 'amqplib';

import { type InternalKeys, sealedHeadersOf } from '../envelope/seal.ts';
import { readBody } from '../envelope/read-body.ts';
import type { FailureFacts } from '../observer/messaging-observer.ts';

/** Reasons, ids and queue names come from messages, which anyone who may write to the queue can forge. */
const MOST_REASONS = 20;
const LONGEST_NAME = 200;
const LONGEST_FAILURE = 4_096;
const OTHERS = 'other reasons';

/** The facts of a dead letter or a parked reply that may be shown; none of its body. */
export type KeptMessage = Readonly<ReturnType<typeof keptMessageOf>>;

/**
 * Returns the facts of a message. Never throws.
 *
 * @param keys prove who wrote the message; without them, sealed headers are not verified
 */
export function keptMessageOf(message: ConsumeMessage, keys?: InternalKeys) {
  const { properties, content } = message;
  const headers: Readonly<Record<string, unknown>> = properties.headers ?? {};
  const isSealed = headers['x-seal'] !== undefined;
  const own: typeof headers = isSealed ? (keys ? sealedHeadersOf(message, keys) : headers) : {};
  const id = text(properties.messageId) ?? '';
  const deaths = headers['x-death'];
  const latest: unknown = Array.isArray(deaths) ? deaths[0] : undefined;
  const death: Partial<XDeath> = latest ?? {};
  const failedAt = momentOf(headers['x-failed-at']) ?? momentOf(Number(death.time?.value) * 1_000);
  const originBytes = headers['x-origin-bytes'];
  return {
    /** The property `message_id`; '' without one. */
    id,
    /** The id of the command; for a reply, the id of the command that it answers. */
    commandId: text(headers['command-id']) ?? id,
    type: text(properties.type) ?? patternOf(content) ?? text(death['routing-keys']?.[0]) ?? '',
    /** The header `operator`; replies have none. */
    operator: text(headers['operator']),
    /** The broker user that sent the command, if proven; replies have none. */
    caller: text(own['x-origin-user-id']) ?? text(properties.userId),
    /** The property `app_id`, chosen by the sender; for a reply, that of the worker. */
    appId: text(properties.appId),
    /** The header `x-reason`, or the broker's reason if the broker dead-lettered the message itself. */
    reason: text(headers['x-reason']) ?? text(death.reason) ?? 'unknown',
    /** ISO 8601; undefined if unknown. */
    failedAt,
    /** The queue in which it failed, if proven; for a reply, its destination. */
    queue: text(own['x-origin-queue']) ?? text(death.queue) ?? '',
    /** Length of the body before it was truncated, in bytes. */
    bytes: typeof originBytes === 'number' ? originBytes : content.length,
    isCut: typeof originBytes === 'number',
    /** A key that identifies the message each time the queue is read. */
    key: JSON.stringify([id, properties.correlationId, failedAt, headers['x-seal'], content.length]),
  };
}

interface KeptReason {
  readonly reason: string;
  readonly queue: string;
  readonly count: number;
  /** When the first of them failed, ISO 8601. */
  readonly since: string | undefined;
  readonly last: ReturnType<typeof shownOf>;
}

/**
 * Summary of a queue of dead letters or parked replies: for each reason and queue, the number of messages and
 * the latest of them.
 */
export class KeptSummary {
  #messages = 0;
  readonly #reasons = new Map<string, KeptReason>();

  get messages(): number {
    return this.#messages;
  }

  /** The reasons, most frequent first. */
  get reasons(): readonly KeptReason[] {
    return [...this.#reasons.values()].toSorted((a, b) => b.count - a.count);
  }

  add(message: ConsumeMessage): void {
    const kept = keptMessageOf(message);
    const last = shownOf(kept, message);
    const name = JSON.stringify([short(kept.reason), last.queue]);
    const isNamed = this.#reasons.has(name) || this.#reasons.size < MOST_REASONS;
    const [reason, queue] = isNamed ? [short(kept.reason), last.queue] : [OTHERS, ''];
    const key = isNamed ? name : OTHERS;
    const { count = 0, since } = this.#reasons.get(key) ?? {};
    const [first] = [since, last.failedAt].filter((at) => at !== undefined).toSorted();
    this.#reasons.set(key, { reason, queue, count: count + 1, since: first, last });
    this.#messages += 1;
  }
}

/** Returns what operators see of a message: `id` is the command's id, `failedAt` is ISO 8601. */
function shownOf({ commandId, type, queue, failedAt }: KeptMessage, message: ConsumeMessage) {
  const failure = failureIn(message);
  return { id: short(commandId), type: short(type), queue: short(queue), failedAt, failure };
}

/** Returns the type in a packet of Nest's client, which neither the properties nor the broker contain. */
function patternOf(content: Buffer): string | undefined {
  return text(readBody(content, content.length, Number.POSITIVE_INFINITY, true).pattern);
}

/** Returns a time in ISO 8601; undefined for a value that is not a date, because the sender chooses it. */
function momentOf(value: unknown): string | undefined {
  const at = new Date(typeof value === 'string' || typeof value === 'number' ? value : Number.NaN);
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString();
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function short(name: string): string {
  return name.slice(0, LONGEST_NAME);
}

/** Returns the header `x-failure` as written by a worker; undefined for any other value. */
function failureIn({ properties }: ConsumeMessage): FailureFacts | undefined {
  const json: unknown = properties.headers?.['x-failure'];
  if (typeof json !== 'string' || json.length > LONGEST_FAILURE) return undefined;
  try {
    const { status, pointers, reason } = JSON.parse(json) as Partial<Record<keyof FailureFacts, unknown>>;
    return {
      ...(typeof status === 'number' && { status }),
      ...(Array.isArray(pointers) && { pointers: pointers.map(String) }),
      reason: String(reason),
    };
  } catch {
    return undefined;
  }
}
