import type { ConsumeMessage, XDeath } from 'amqplib';

import { type InternalKeys, sealedHeadersOf } from '../envelope/seal.ts';
import { readBody } from '../envelope/read-body.ts';
import type { FailureFacts } from '../observer/messaging-observer.ts';

/** Reasons, ids and names of queues come from messages, which anybody who may write to the queue can make up. */
const MOST_REASONS = 20;
const LONGEST_NAME = 200;
const LONGEST_FAILURE = 4_096;
const OTHERS = 'other reasons';

/** What a dead letter or a parked reply says about itself, as far as that may be shown: nothing of its body. */
export type KeptMessage = Readonly<ReturnType<typeof keptMessageOf>>;

/** It never throws. @param keys prove who wrote the message; without them, what says to be sealed is taken as it is */
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
    /** The id of the command; a reply has that of the command that it answers. */
    commandId: text(headers['command-id']) ?? id,
    type: text(properties.type) ?? patternOf(content) ?? text(death['routing-keys']?.[0]) ?? '',
    /** The header `operator`; replies have none. */
    operator: text(headers['operator']),
    /** The broker user that sent the command, if that is proved; replies have none. */
    caller: text(own['x-origin-user-id']) ?? text(properties.userId),
    /** The property `app_id`, which the sender chooses; replies have that of the worker. */
    appId: text(properties.appId),
    /** The header `x-reason`, or what the broker says about a message that it dead-lettered itself. */
    reason: text(headers['x-reason']) ?? text(death.reason) ?? 'unknown',
    /** ISO 8601, if somebody noted it. */
    failedAt,
    /** Where it was when it failed, if that is proved; of a reply, where it was sent to. */
    queue: text(own['x-origin-queue']) ?? text(death.queue) ?? '',
    /** Length of the body, before it was cut. */
    bytes: typeof originBytes === 'number' ? originBytes : content.length,
    /** Whether only the beginning of its body was kept. */
    isCut: typeof originBytes === 'number',
    /** The same each time that the message is looked at, and of no other. */
    key: JSON.stringify([id, properties.correlationId, failedAt, headers['x-seal'], content.length]),
  };
}

/** Messages with the same reason and queue. */
interface KeptReason {
  readonly reason: string;
  readonly queue: string;
  readonly count: number;
  /** When the first of them failed, ISO 8601. */
  readonly since: string | undefined;
  readonly last: ReturnType<typeof shownOf>;
}

/** Summarizes a queue that keeps messages for people: by reason and queue, the count and the latest message. */
export class KeptSummary {
  #messages = 0;
  readonly #reasons = new Map<string, KeptReason>();

  get messages(): number {
    return this.#messages;
  }

  /** The most frequent first. */
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

/** What people are shown of a message; `id` is the one of its command, and `failedAt` ISO 8601. */
function shownOf({ commandId, type, queue, failedAt }: KeptMessage, message: ConsumeMessage) {
  const failure = failureIn(message);
  return { id: short(commandId), type: short(type), queue: short(queue), failedAt, failure };
}

/** The type in a packet of Nest's client, which neither the properties nor the broker name. */
function patternOf(content: Buffer): string | undefined {
  return text(readBody(content, content.length, Number.POSITIVE_INFINITY, true).pattern);
}

/** A time in ISO 8601, of whatever a stranger may have written; `undefined` for anything that no date can be. */
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

/** The header `x-failure` as a worker wrote it; `undefined` for anything else. */
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
