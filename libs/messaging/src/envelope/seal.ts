import { createHmac, createSecretKey, hkdfSync, type KeyObject, timingSafeEqual } from 'node:crypto';

import type { ConsumeMessage } from 'amqplib';

import type { OutgoingMessage } from '#rabbitmq';

/**
 * Headers of this service that decide something, with values of their types: believed only with their seal, and then as they
 * are. Source: bus contract, section 5.
 */
const OWN = {
  'x-origin-user-id': '',
  'x-redriven': 0,
  'x-sequence': 0,
  // JSON of `Progress`.
  'x-progress': '',
  'x-postponed': 0,
  // Since when the reply queue of a report has taken nothing, epoch milliseconds.
  'x-stalled-since': 0,
  'x-quarantine-starts': 0,
  'x-quarantine-cuts': 0,
  // How a command may be started there: beside which others.
  'x-quarantine-level': 0,
  // When the start of this copy began, epoch milliseconds.
  'x-quarantine-started-at': 0,
  'x-reason': '',
  'x-origin-queue': '',
};
const SEALED = Object.keys(OWN);

const SEAL = 'x-seal';

const READ = [
  // On commands.
  ['operator', 'x-deadline', 'x-cancel-with-queue', 'schema-version', 'traceparent', 'tracestate'],
  // On parked replies.
  ['command-id', 'command-type', 'sequence', 'final'],
  // On what is kept for people: `x-failure` is status, pointers and reason of a failure as JSON, and decides nothing.
  ['x-failure', 'x-failed-at'],
  // On the broker's deliveries and returns.
  ['x-delivery-count', 'x-acquired-count', 'x-publish-id'],
];

/** The headers that a worker reads. It keeps no others, whatever strangers send. */
export const READ_HEADERS: ReadonlySet<string> = new Set([...SEALED, SEAL, ...READ.flat()]);

/** The headers of a message that a worker wrote, as far as that is proved; of any other message none. */
export type SealedHeaders = Readonly<Partial<typeof OWN>>;

const NONE: SealedHeaders = {};
/** The length of a SHA-256 in base64. */
const SEAL_CHARACTERS = 44;

const KEY_BYTES = 32;
const MAX_FORMER = 8;

type DerivedKeys = ReturnType<typeof derive>;

/**
 * The key of what workers write for each other, and those before it while this process lives: what was written before a
 * change of the key is still believed, nothing is written with a former one.
 */
export class InternalKeys {
  #all: readonly [DerivedKeys, ...DerivedKeys[]];

  /** @param key the same for all workers; 32 bytes */
  constructor(key: Buffer) {
    this.#all = [derive(key)];
  }

  /** From the newest to the oldest. */
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

/** Whether the headers are those of a copy: a worker has received the command before. */
export function isCopy(own: SealedHeaders): boolean {
  return own !== NONE;
}

/** A copy with a seal of the headers that workers write for each other. */
export function sealed(copy: OutgoingMessage, { current }: InternalKeys): OutgoingMessage {
  const { properties } = copy;
  const seal = codeOf(current.headers, copy);
  return { ...copy, properties: { ...properties, headers: { ...properties.headers, [SEAL]: seal } } };
}

/**
 * What a worker wrote into a message; nothing if the seal is missing or broken: everybody who may write to a queue of the
 * service could otherwise make a report skip a page, take another caller's name, or have a message sent to another's queue.
 */
export function sealedHeadersOf(message: ConsumeMessage, { all }: InternalKeys): SealedHeaders {
  const headers: Record<string, unknown> = message.properties.headers ?? {};
  const seal = headers[SEAL];
  if (typeof seal !== 'string' || seal.length !== SEAL_CHARACTERS) return NONE;
  const given = Buffer.from(seal, 'latin1');
  if (!all.some(({ headers: key }) => timingSafeEqual(given, Buffer.from(codeOf(key, message))))) return NONE;
  // JSON writes any other value as null, which has the code of a header that is missing.
  const isWritten = (value: unknown): boolean => typeof value === 'string' || Number.isFinite(value);
  const own = Object.entries(headers).filter(([name, value]) => Object.hasOwn(OWN, name) && isWritten(value));
  return Object.fromEntries(own);
}

/** Bound to its message: no other message may have the same headers under the same code. */
function codeOf(key: KeyObject, message: Pick<OutgoingMessage | ConsumeMessage, 'properties' | 'content'>) {
  const { messageId, correlationId, type, replyTo } = message.properties as Record<string, unknown>;
  const headers: Readonly<Record<string, unknown>> = message.properties.headers ?? {};
  const own = ['operator', ...SEALED].map((name) => headers[name]);
  const facts = [messageId, correlationId, type, replyTo, ...own];
  // JSON writes undefined in a list as null, so that what AMQP leaves out is the same on both sides.
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
