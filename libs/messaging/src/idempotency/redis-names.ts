import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';

/** What stands in Redis for an identity, and for the type and data of its command. */
export interface RedisName {
  readonly key: string;
  readonly fingerprint: string;
}

/**
 * Names commands in Redis. A plain digest of a player's id or of a short command could be guessed by whoever reads Redis,
 * so both are message authentication codes, and the same data under another identity has another fingerprint.
 */
export class RedisNames {
  readonly #prefix: string;
  readonly #key: KeyObject;

  /**
   * @param prefix what every key begins with
   * @param key the same for all workers; 32 bytes
   */
  constructor(prefix: string, key: Buffer) {
    this.#prefix = prefix;
    this.#key = createSecretKey(key);
  }

  /** @param fingerprint of type and data, as the command has it */
  nameOf(identity: string, fingerprint: string): RedisName {
    const code = this.#codeOf(`identity ${identity}`, 'hex');
    return {
      key: `${this.#prefix}:identity:${code}`,
      fingerprint: this.#codeOf(`fingerprint ${code} ${fingerprint}`, 'base64'),
    };
  }

  #codeOf(text: string, encoding: 'hex' | 'base64'): string {
    return createHmac('sha256', this.#key).update(text).digest(encoding);
  }
}
