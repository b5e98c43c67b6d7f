import { hash } from 'node:crypto';

import type { Reply } from '#contracts';

import { isDecision } from './idempotency-store.ts';
import { RedisLink, type RedisState } from './redis-link.ts';
import { parseReply } from './redis-reply.ts';
import type { IdentityFields } from './redis-scripts.ts';

/** How long a reply that decides nothing stays for those who wait for it; longer than they pause. */
const RELEASED_MS = 2_000;
/** Of a lease, when its holder renews it. */
export const RENEWED_EACH = 1 / 3;
/** Claims renewed by one script at most: Redis does nothing else meanwhile. */
const RENEWED_AT_ONCE = 500;

/** What stands under an identity in Redis, seen by somebody with a fingerprint. */
export type Standing =
  | { readonly kind: 'absent' }
  /** `connection`: of the worker that holds it; '' where that is not known. */
  | { readonly kind: 'under way'; readonly connection: string }
  | { readonly kind: 'replied'; readonly reply: Reply }
  | { readonly kind: 'conflict' };

export interface RedisIdentitiesOptions {
  readonly url: string;
  /** What every key begins with. */
  readonly prefix: string;
  /** This worker, and no other one. */
  readonly owner: string;
  /** How long a claim stands that is not renewed. */
  readonly leaseMs: number;
  readonly onState: (state: RedisState) => void;
  readonly nowMs: () => number;
}

/** The identities in Redis, each step one round trip. Everything is `undefined` while Redis is away; nothing rejects. */
export class RedisIdentities {
  readonly #options: RedisIdentitiesOptions;
  readonly #link: RedisLink;

  constructor(options: RedisIdentitiesOptions) {
    this.#options = options;
    const { url, owner, onState, nowMs } = options;
    const rehearsal = this.keyOf(`rehearsal of ${owner}`);
    this.#link = new RedisLink({
      url,
      onState,
      nowMs,
      rehearse: (redis) => redis.claimIdentity(rehearsal, '', owner, 1, '', ''),
    });
  }

  get state(): RedisState {
    return this.#link.state;
  }

  /** The key of an identity, which says nothing about it. */
  keyOf(identity: string): string {
    return `${this.#options.prefix}:identity:${hash('sha256', identity)}`;
  }

  /** Takes an identity that is free. `absent`: it was, and is this worker's now. */
  async claim(key: string, fingerprint: string, unreadable = ''): Promise<Standing | undefined> {
    const { owner, leaseMs } = this.#options;
    const fields = await this.#link.attempt((redis) =>
      redis.claimIdentity(key, fingerprint, owner, leaseMs, unreadable, this.#link.connectionId),
    );
    if (!fields) return fields === null ? { kind: 'absent' } : undefined;
    const standing = standingOf(fields, fingerprint);
    if (standing.kind !== 'absent') return standing;
    return this.claim(key, fingerprint, fields[2] ?? '');
  }

  /** What became of an identity that another worker holds. */
  async look(key: string, fingerprint: string): Promise<Standing | undefined> {
    const fields = await this.#link.attempt((redis) =>
      redis.hmget(key, 'state', 'fingerprint', 'reply', 'connection'),
    );
    return fields && standingOf(fields as IdentityFields, fingerprint);
  }

  /** Keeps a decision for `ttlMs`, or frees the identity; `false` where it is another worker's by now. */
  async settle(key: string, fingerprint: string, reply: Reply, ttlMs: number): Promise<boolean | undefined> {
    const [state, durationMs] = isDecision(reply)
      ? (['decided', ttlMs] as const)
      : (['released', RELEASED_MS] as const);
    const settled = await this.#link.attempt((redis) =>
      redis.settleIdentity(
        key,
        fingerprint,
        this.#options.owner,
        state,
        JSON.stringify(reply),
        Math.ceil(durationMs),
      ),
    );
    return settled === undefined ? undefined : settled === 1;
  }

  /** @param held fingerprints by key */
  async renew(held: ReadonlyMap<string, string>): Promise<void> {
    const { owner, leaseMs } = this.#options;
    const all = [...held];
    for (let start = 0; start < all.length; start += RENEWED_AT_ONCE) {
      const claims = all.slice(start, start + RENEWED_AT_ONCE);
      const keys = claims.map(([key]) => key);
      const fingerprints = claims.map(([, fingerprint]) => fingerprint);
      await this.#link.attempt((redis) =>
        redis.renewIdentities(keys.length, ...keys, owner, this.#link.connectionId, leaseMs, ...fingerprints),
      );
    }
  }

  /** Whether Redis still has a connection; `undefined` where nobody knows. */
  async hasConnection(connection: string): Promise<boolean | undefined> {
    if (connection === '') return undefined;
    return this.#link.attempt((redis) =>
      redis.client('LIST', 'ID', connection).then(
        (list) => new RegExp(`^id=${connection} `, 'm').test(String(list)),
        // Forbidden to this account, or a server that cannot tell.
        () => undefined,
      ),
    );
  }

  /** How long ago the claim of an identity ought to have been renewed and was not; 0 where that is not known. */
  async overdueMs(key: string): Promise<number> {
    const { leaseMs } = this.#options;
    const leftMs = await this.#link.attempt((redis) => redis.pttl(key));
    return leftMs === undefined || leftMs < 0 ? 0 : Math.max(0, leaseMs - RENEWED_EACH * leaseMs - leftMs);
  }

  /** Frees an identity that is claimed over a connection; whether it was. */
  async free(key: string, connection: string): Promise<boolean> {
    return (await this.#link.attempt((redis) => redis.freeIdentity(key, connection))) === 1;
  }

  close(): Promise<void> {
    return this.#link.close();
  }
}

function standingOf([state, fingerprint, text, connection]: IdentityFields, own: string): Standing {
  if (state === null) return { kind: 'absent' };
  if (fingerprint !== own) return { kind: 'conflict' };
  if (state === 'under way') return { kind: 'under way', connection: connection ?? '' };
  const reply = parseReply(text);
  return reply ? { kind: 'replied', reply } : { kind: 'absent' };
}
