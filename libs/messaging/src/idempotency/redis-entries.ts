import {
  createCipheriv,
  createDecipheriv,
  hash,
  type KeyObject,
  randomFillSync,
  randomUUID,
} from 'node:crypto';

import type { Reply } from '#contracts';

import type { InternalKeys } from '../envelope/seal.ts';
import { standing } from './idempotency-store.ts';

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Nonces drawn at once: drawing one alone costs ten times as much. */
const NONCES = 256;

/** A command as Redis knows it. */
export type RedisName = Readonly<ReturnType<RedisEntries['nameOf']>>;

type Entry = { readonly kind: 'in flight' } | ReturnType<typeof standing>;

/**
 * The entries of Redis: a lease or an outcome.
 *
 * A reader of Redis could guess a plain digest of a player's id or of a short command, so identity and
 * fingerprint are keyed hashes. Replies contain tokens and URLs: they are encrypted, and authenticated
 * together with identity and fingerprint. An entry that no worker wrote counts as absent.
 */
export class RedisEntries {
  readonly #prefix: string;
  readonly #keys: InternalKeys;
  readonly #nameKey: string;
  readonly #owner = randomUUID();
  readonly #nonces = Buffer.alloc(NONCES * NONCE_BYTES);
  #nextNonceAt = this.#nonces.length;

  /** @param prefix the prefix of every key */
  constructor(prefix: string, keys: InternalKeys) {
    this.#prefix = prefix;
    this.#keys = keys;
    // The key at startup: all running workers use one name for an identity, even after the key has changed.
    this.#nameKey = keys.current.identities;
  }

  /** @param content the command's type and data */
  nameOf(identity: string, content: string) {
    // SHA-512/256 cannot be extended, so a prefix makes it a keyed hash; in one call it costs a fifth of an
    // HMAC.
    const codeOf = (text: string) => hash('sha512-256', `${this.#nameKey} ${text}`, 'base64url');
    const code = codeOf(`identity ${identity}`);
    const data = codeOf(`fingerprint ${code} ${content}`);
    return {
      key: `${this.#prefix}:identity:${code}`,
      fingerprint: data,
      /** The entry of a command that is in flight in this worker. */
      lease: `lease ${data} ${this.#owner}`,
    };
  }

  outcomeOf({ key, fingerprint }: RedisName, reply: Reply): string {
    const nonce = this.#nonce();
    const cipher = createCipheriv(ALGORITHM, this.#keys.current.storedReplies, nonce);
    cipher.setAAD(boundTo(key, fingerprint));
    const text = cipher.update(JSON.stringify(reply));
    // A stream cipher has no last block, but the tag needs this call.
    cipher.final();
    const sealed = Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64');
    return `outcome ${fingerprint} ${sealed}`;
  }

  /** @returns `undefined` if there is no entry, or none that a worker wrote for this command */
  read(stored: string | null | undefined, { key, fingerprint }: RedisName, isRedelivered = false): Entry {
    const [kind, of = '', sealed = ''] = (stored ?? '').split(' ', 3);
    const isSame = of === fingerprint;
    if (kind === 'lease') return { kind: isSame ? 'in flight' : 'conflict' };
    if (kind !== 'outcome') return undefined;
    const bytes = Buffer.from(sealed, 'base64');
    const replies = this.#keys.all.map(({ storedReplies }) => open(bytes, storedReplies, boundTo(key, of)));
    const reply = replies.find((each) => each !== undefined);
    return reply && standing(reply, isSame, isRedelivered);
  }

  #nonce(): Buffer {
    if (this.#nextNonceAt === this.#nonces.length) {
      randomFillSync(this.#nonces);
      this.#nextNonceAt = 0;
    }
    return this.#nonces.subarray(this.#nextNonceAt, (this.#nextNonceAt += NONCE_BYTES));
  }
}

/**
 * Decrypts a stored reply. Its members are not checked: a worker of another version may have stored more or
 * fewer of them, and rejecting a valid reply would run the command a second time.
 *
 * @returns `undefined` if it was written with another key or for another command
 */
function open(bytes: Buffer, key: KeyObject, binding: Buffer): Reply | undefined {
  try {
    const nonce = bytes.subarray(0, NONCE_BYTES);
    const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
    decipher.setAAD(binding).setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    const text = decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES), undefined, 'utf8');
    return JSON.parse(text + decipher.final('utf8')) as Reply;
  } catch {
    return undefined;
  }
}

function boundTo(key: string, fingerprint: string): Buffer {
  return Buffer.from(`${key} ${fingerprint}`);
}
