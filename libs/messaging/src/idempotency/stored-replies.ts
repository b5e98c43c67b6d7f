import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

import { isFinalReplyType, type Reply } from '#contracts';

import type { InternalKeys } from '../envelope/internal-keys.ts';

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Replies as Redis keeps them: they hold tokens and URLs, so they are encrypted, and authenticated together with the
 * identity and the fingerprint of their command. What somebody else wrote there is no reply.
 */
export class StoredReplies {
  readonly #keys: InternalKeys;

  constructor(keys: InternalKeys) {
    this.#keys = keys;
  }

  /** @returns base64: a nonce, the tag, the reply */
  encrypt(reply: Reply, key: string, fingerprint: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(ALGORITHM, this.#keys.current.storedReplies, nonce, {
      authTagLength: TAG_BYTES,
    });
    cipher.setAAD(boundTo(key, fingerprint));
    const text = Buffer.concat([cipher.update(JSON.stringify(reply), 'utf8'), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64');
  }

  /** @returns `undefined` if it is none of ours, or belongs to another command */
  decrypt(stored: string | null, key: string, fingerprint: string): Reply | undefined {
    const bytes = Buffer.from(stored ?? '', 'base64');
    if (bytes.length < NONCE_BYTES + TAG_BYTES) return undefined;
    const binding = boundTo(key, fingerprint);
    for (const { storedReplies } of this.#keys.all) {
      const reply = open(bytes, storedReplies, binding);
      if (reply) return reply;
    }
    return undefined;
  }
}

/** @returns `undefined` if it was not written with this key, or for another command */
function open(bytes: Buffer, key: Buffer, binding: Buffer): Reply | undefined {
  const nonce = bytes.subarray(0, NONCE_BYTES);
  const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(binding);
  decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  try {
    const text = decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES), undefined, 'utf8');
    return parseReply(text + decipher.final('utf8'));
  } catch {
    return undefined;
  }
}

function boundTo(key: string, fingerprint: string): Buffer {
  return Buffer.from(JSON.stringify([key, fingerprint]));
}

/**
 * Its members are not checked: a worker of another version may have stored more or fewer of them, and to reject a valid
 * reply would run the command a second time.
 */
function parseReply(text: string): Reply | undefined {
  const { type, data } = JSON.parse(text) as { type?: unknown; data?: unknown };
  return isFinalReplyType(type) && typeof data === 'object' && data !== null
    ? ({ type, data } as Reply)
    : undefined;
}
