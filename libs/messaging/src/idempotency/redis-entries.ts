import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  type KeyObject,
  randomBytes,
  randomUUID,
} from 'node:crypto';

import type { Reply } from '#contracts';

import type { InternalKeys } from '../envelope/internal-keys.ts';
import { standing } from './idempotency-store.ts';

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** A command as Redis knows it. */
export type RedisName = Readonly<ReturnType<RedisEntries['nameOf']>>;

type Entry = { readonly kind: 'in flight' } | ReturnType<typeof standing>;

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
  /** This worker, and no other one. */
  readonly #owner = randomUUID();

  /** @param prefix what every key begins with */
  constructor(prefix: string, keys: InternalKeys) {
    this.#prefix = prefix;
    this.#keys = keys;
    // The key of the start: all workers that run know an identity by one name, also after the key has changed.
    this.#names = keys.current.identities;
  }

  /** @param fingerprint of type and data, as the command has it */
  nameOf(identity: string, fingerprint: string) {
    const codeOf = (text: string) => createHmac('sha256', this.#names).update(text);
    const code = codeOf(`identity ${identity}`).digest('hex');
    const data = codeOf(`fingerprint ${code} ${fingerprint}`).digest('base64');
    return {
      key: `${this.#prefix}:identity:${code}`,
      fingerprint: data,
      /** The entry of a command that this worker has in flight. */
      lease: `lease ${data} ${this.#owner}`,
    };
  }

  outcomeOf({ key, fingerprint }: RedisName, reply: Reply): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(ALGORITHM, this.#keys.current.storedReplies, nonce);
    cipher.setAAD(boundTo(key, fingerprint));
    const text = Buffer.concat([cipher.update(JSON.stringify(reply)), cipher.final()]);
    const sealed = Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64');
    return `outcome ${fingerprint} ${sealed}`;
  }

  /** @returns `undefined` if there is no entry, or none that a worker wrote and that counts for this command */
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
}

/**
 * The members of a reply are not checked: a worker of another version may have stored more or fewer of them, and to reject a
 * valid reply would run the command a second time.
 *
 * @returns `undefined` if it was not written with this key, or for another command
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
  return Buffer.from(JSON.stringify([key, fingerprint]));
}
