import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  type KeyObject,
  createSecretKey,
  randomBytes,
} from 'node:crypto';

import { isFinalReplyType, type Reply } from '#contracts';

import type { InternalKeys } from '../envelope/internal-keys.ts';
import { isKept } from './idempotency-store.ts';

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** A command as Redis knows it. */
export interface RedisName {
  readonly key: string;
  /** The code of type and data. */
  readonly fingerprint: string;
}

/** What an entry says of a command: `free` is also what nobody can read. */
export type Entry =
  { readonly kind: 'free' | 'in flight' | 'conflict' } | { readonly kind: 'settled'; readonly reply: Reply };

/**
 * The entries of Redis: a lease or an outcome.
 *
 * A plain digest of a player's id or of a short command could be guessed by a reader of Redis, so identity and
 * fingerprint are message authentication codes. Replies hold tokens and URLs: they are encrypted, and authenticated
 * together with identity and fingerprint. What somebody else wrote is no reply.
 */
export class RedisEntries {
  readonly #prefix: string;
  readonly #keys: InternalKeys;
  readonly #names: KeyObject;

  /** @param prefix what every key begins with */
  constructor(prefix: string, keys: InternalKeys) {
    this.#prefix = prefix;
    this.#keys = keys;
    // The key of the start: all workers that run know an identity by one name, also after the key has changed.
    this.#names = createSecretKey(keys.current.identities);
  }

  /** @param fingerprint of type and data, as the command has it */
  nameOf(identity: string, fingerprint: string): RedisName {
    const codeOf = (text: string, encoding: 'hex' | 'base64'): string =>
      createHmac('sha256', this.#names).update(text).digest(encoding);
    const code = codeOf(`identity ${identity}`, 'hex');
    return {
      key: `${this.#prefix}:identity:${code}`,
      fingerprint: codeOf(`fingerprint ${code} ${fingerprint}`, 'base64'),
    };
  }

  /** @param owner the worker that has the command in flight */
  leaseOf({ fingerprint }: RedisName, owner: string): string {
    return `lease ${fingerprint} ${owner}`;
  }

  /** An outcome that is not kept is `passing`: it is for the repeats that wait, and a claim replaces it. */
  outcomeOf(name: RedisName, reply: Reply): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(ALGORITHM, this.#keys.current.storedReplies, nonce).setAAD(boundTo(name));
    const text = Buffer.concat([cipher.update(JSON.stringify(reply)), cipher.final()]);
    const sealed = Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64');
    return `${isKept(reply) ? 'outcome' : 'passing'} ${name.fingerprint} ${sealed}`;
  }

  read(stored: string | null, name: RedisName): Entry {
    const [kind, fingerprint, rest = ''] = (stored ?? '').split(' ', 3);
    if (kind !== 'lease' && kind !== 'outcome' && kind !== 'passing') return { kind: 'free' };
    if (fingerprint !== name.fingerprint) return { kind: kind === 'passing' ? 'free' : 'conflict' };
    if (kind === 'lease') return { kind: 'in flight' };
    const bytes = Buffer.from(rest, 'base64');
    for (const { storedReplies } of this.#keys.all) {
      const reply = open(bytes, storedReplies, boundTo(name));
      if (reply) return { kind: 'settled', reply };
    }
    return { kind: 'free' };
  }
}

/**
 * The members of a reply are not checked: a worker of another version may have stored more or fewer of them, and to reject a
 * valid reply would run the command a second time.
 *
 * @returns `undefined` if it was not written with this key, or for another command
 */
function open(bytes: Buffer, key: Buffer, binding: Buffer): Reply | undefined {
  try {
    const nonce = bytes.subarray(0, NONCE_BYTES);
    const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
    decipher.setAAD(binding).setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    const text = decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES), undefined, 'utf8');
    const { type, data } = JSON.parse(text + decipher.final('utf8')) as { type?: unknown; data?: unknown };
    const isReply = isFinalReplyType(type) && typeof data === 'object' && data !== null;
    return isReply ? ({ type, data } as Reply) : undefined;
  } catch {
    return undefined;
  }
}

function boundTo({ key, fingerprint }: RedisName): Buffer {
  return Buffer.from(JSON.stringify([key, fingerprint]));
}
