import { createHmac, createSecretKey, hkdfSync, type KeyObject, timingSafeEqual } from 'node:crypto';

import type { ConsumeMessage } from 'amqplib';

import type { OutgoingMessage } from '#rabbitmq';

/**
 * Headers of this service that decide something, with values of their types. They count only with a valid
 * seal, and are then used unchecked. Source: bus contract, section 5.
 */
const OWN = {
  'x-origin-user-id': '',
  'x-redriven': 0,
  'x-sequence': 0,
  // The JSON of a `Progress`.
  'x-progress': '',
  'x-postponed': 0,
  // The time since which the reply queue of a report has accepted nothing, epoch milliseconds.
  'x-stalled-since': 0,
  'x-quarantine-starts': 0,
  'x-quarantine-cuts': 0,
  // The level, which decides with which other commands it may run.
  'x-quarantine-level': 0,
  // The time of the start that this copy records, epoch milliseconds.
  'x-quarantine-started-at': 0,
  'x-reason': '',
  'x-origin-queue': '',
};
const SEALED = Object.keys(OWN);

const SEAL = 'x-seal';

const READ = [
  // Headers of commands.
  ['operator', 'x-deadline', 'x-cancel-with-queue', 'schema-version', 'traceparent', 'tracestate'],
  // Headers of parked replies.
  ['command-id', 'command-type', 'sequence', 'final'],
  // Headers of dead letters and parked replies. `x-failure` is status, pointers and reason of a failure as
  // JSON, and decides nothing.
  ['x-failure', 'x-failed-at'],
  // Headers of the broker, on deliveries and returns.
  ['x-delivery-count', 'x-acquired-count', 'x-publish-id'],
];

/** The headers that a worker reads. It keeps no others, whatever callers send. */
export const READ_HEADERS: ReadonlySet<string> = new Set([...SEALED, SEAL, ...READ.flat()]);

/** The sealed headers of a message that a worker provably wrote; empty for any other message. */
export type SealedHeaders = Readonly<Partial<typeof OWN>>;

const NONE: SealedHeaders = {};
/** The length of a SHA-256 in base64. */
const SEAL_CHARACTERS = 44;

const KEY_BYTES = 32;
const MAX_FORMER = 8;

type DerivedKeys = ReturnType<typeof derive>;

/**
 * The key that seals what workers write for each other, and its predecessors during the life of this process.
 * Messages sealed before a change of the key still count; nothing is sealed with a former key.
 */
export class InternalKeys {
  #all: readonly [DerivedKeys, ...DerivedKeys[]];

  /** @param key the same for all workers; 32 bytes */
  constructor(key: Buffer) {
    this.#all = [derive(key)];
  }

  /** All keys, newest first. */
  get all(): readonly DerivedKeys[] {
    return this.#all;
  }

  get current(): DerivedKeys {
    return this.#all[0];
  }

  rotate(key: Buffer): void {
    if (this.current.internal.equals(key)) return;
    const former = this.#all.filter(({ internal }) => !internal.equals(key));
    this.#all = [derive(key), ...former.slice(0, MAX_FORMER)];
  }
}

/** True if the headers are those of a copy, which means that a worker has received the command before. */
export function isCopy(own: SealedHeaders): boolean {
  return own !== NONE;
}

/** Returns a copy with a seal over the headers that workers write for each other. */
export function sealed(copy: OutgoingMessage, { current }: InternalKeys): OutgoingMessage {
  const { properties } = copy;
  const seal = codeOf(current.headers, copy);
  return { ...copy, properties: { ...properties, headers: { ...properties.headers, [SEAL]: seal } } };
}

/**
 * Returns the headers that a worker wrote into a message; empty if the seal is missing or invalid. Without a
 * seal, anyone who may write to a queue of the service could make a report skip a page, impersonate another
 * caller, or have a message sent to another caller's queue.
 */
export function sealedHeadersOf(message: ConsumeMessage, { all }: InternalKeys): SealedHeaders {
  const headers: Record<string, unknown> = message.properties.headers ?? {};
  const seal = headers[SEAL];
  if (typeof seal !== 'string' || seal.length !== SEAL_CHARACTERS) return NONE;
  const given = Buffer.from(seal, 'latin1');
  if (!all.some(({ headers: key }) => timingSafeEqual(given, Buffer.from(codeOf(key, message))))) return NONE;
  const own: Record<string, unknown> = {};
  for (const name of SEALED) {
    const value = headers[name];
    // JSON writes any other value as null, which gives the same code as a missing header.
    if (typeof value === 'string' || Number.isFinite(value)) own[name] = value;
  }
  return own;
}

/**
 * Returns the authentication code, which is bound to the message: the same headers on another message have
 * another code.
 */
function codeOf(key: KeyObject, message: Pick<OutgoingMessage | ConsumeMessage, 'properties' | 'content'>) {
  const { messageId, correlationId, type, replyTo } = message.properties as Record<string, unknown>;
  const headers: Readonly<Record<string, unknown>> = message.properties.headers ?? {};
  const own = ['operator', ...SEALED].map((name) => headers[name]);
  const facts = [messageId, correlationId, type, replyTo, ...own];
  // In a list, JSON writes undefined as null, so a property that AMQP omits is the same on both sides.
  return createHmac('sha256', key)
    .update(JSON.stringify(facts))
    .update('\n')
    .update(message.content)
    .digest('base64');
}

/** Derives one key for each purpose. A key object saves ten microseconds a use over bytes. */
function derive(internal: Buffer) {
  const bytesFor = (purpose: string): Buffer =>
    Buffer.from(hkdfSync('sha256', internal, '', `poker-bridge ${purpose}`, KEY_BYTES));
  const keyFor = (purpose: string): KeyObject => createSecretKey(bytesFor(purpose));
  return {
    internal,
    /** Seals the headers that workers write for each other. */
    headers: keyFor('headers'),
    /** Hides the names of commands in Redis: the prefix of a hash, as text. */
    identities: bytesFor('identities').toString('base64'),
    /** Encrypts the replies in Redis. */
    storedReplies: keyFor('stored replies'),
  };
}
