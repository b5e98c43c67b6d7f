import type { Redis } from 'ioredis';

import { within } from '#rabbitmq';
import { TlsContext } from '#tls';

import type { InternalKeys } from '../envelope/seal.ts';
import { REDIS_CONNECTOR } from './redis-connector.ts';

const ANSWER_TIMEOUT_MS = 250;
/**
 * The time limit of a connection, and of each answer in ioredis's handshake. No command waits for them. Once
 * the connection is usable, `ANSWER_TIMEOUT_MS` replaces it.
 */
const CONNECT_TIMEOUT_MS = 1_000;
const PAUSE_MS = 500;
const INSPECTION_TIMEOUT_MS = 3_000;
const LOST = 'Connection lost';
const CUT = new Set(['ECONNRESET', 'EPIPE', LOST]);
/**
 * Eviction policies that keep entries until they expire; with any other one, Redis may remove an identity
 * early.
 */
const KEEPS_ALL = new Set(['noeviction', 'volatile-ttl']);

export type RedisState =
  | { readonly kind: 'connecting' | 'available' | 'closed' }
  /** `sinceMs` is epoch milliseconds; `reason` contains neither credentials nor data. */
  | { readonly kind: 'away'; readonly reason: string; readonly sinceMs: number };

export interface RedisStoreOptions {
  /** The class of ioredis, which is not imported here because few workers use Redis. */
  readonly client: typeof Redis;
  /** `redis:` or `rediss:`. The URL may contain a password. */
  readonly url: string;
  /** For a `rediss:` URL. Default: the CAs of Node.js, and no client certificate. */
  readonly tls?: TlsContext | undefined;
  readonly prefix: string;
  readonly ttlMs: number;
  /** The lifetime of a dead worker's claims, in milliseconds; default: 1500. */
  readonly leaseMs?: number;
  /** Encrypt the stored replies, and hide the identities. */
  readonly internalKeys: InternalKeys;
  /** Called when Redis becomes available and when it goes away. */
  readonly onState: (state: RedisState) => void;
}

/** An entry to write: the value that it may replace, the new one, and its TTL. */
type Put = readonly [key: string, over: string, value: string, durationMs: number];

/** The conflicting value of an entry, or null; undefined while Redis is unavailable. */
export type Found = string | null | undefined;

/** ioredis with the script below. */
type ScriptedRedis = Redis & {
  putEntries(keys: number, ...keysAndEntries: readonly (string | number)[]): Promise<Found[]>;
};

/** No worker writes a value that is not text, so it counts as absent. */
const PUT_ENTRIES = `
local answers = {}
for i, key in ipairs(KEYS) do
  local over, value, duration = ARGV[3 * i - 2], ARGV[3 * i - 1], ARGV[3 * i]
  local found = redis.pcall('GET', key)
  if type(found) == 'string' and found ~= over and found ~= value then answers[i] = found
  else
    answers[i] = false
    if value == '' then redis.call('DEL', key) else redis.call('SET', key, value, 'PX', duration) end
  end
end
return answers
`;

/**
 * A Redis connection that fails fast. After a call fails, or is not answered within a quarter of a second,
 * calls fail immediately until a new connection has accepted a write.
 */
export class RedisConnection {
  state: RedisState = { kind: 'connecting' };
  readonly #onState: RedisStoreOptions['onState'];
  readonly #tls: TlsContext;
  readonly #redis: ScriptedRedis;
  /** Why Redis cannot be used; undefined if it can. */
  #lastError: unknown;
  /** The entries of this turn of the event loop. */
  readonly #waiting: { readonly put: Put; readonly resolve: (found: Found) => void }[] = [];

  /** @param probeKey the key of an entry that is only written */
  constructor({ client, url, tls = new TlsContext('REDIS'), onState }: RedisStoreOptions, probeKey: string) {
    this.#onState = onState;
    this.#tls = tls;
    this.#redis = new client(url, {
      ...redisOptions(url, tls),
      scripts: { putEntries: { lua: PUT_ENTRIES } },
      connectTimeout: CONNECT_TIMEOUT_MS,
      socketTimeout: CONNECT_TIMEOUT_MS,
      disconnectTimeout: ANSWER_TIMEOUT_MS,
      autoResendUnfulfilledCommands: false,
      retryStrategy: () => {
        Object.assign(this.#redis.options, { ...redisOptions(url, tls), socketTimeout: CONNECT_TIMEOUT_MS });
        return PAUSE_MS;
      },
    }) as ScriptedRedis;
    this.#redis.on('error', (error) => this.#leave(error));
    this.#redis.on('close', () => this.#leave());
    this.#redis.on('ready', () => void this.#tryOut(probeKey));
  }

  /**
   * Writes a value unless the key has a value other than it or `over`. Never rejects. All entries of one turn
   * share one call, which costs as much as a command itself: this saves half of the CPU time that Redis adds
   * to a command at full speed.
   *
   * @param value '' removes the value that may be replaced, so with `over` '' it only reads
   * @returns the conflicting value, or null; undefined while Redis is unavailable
   */
  put(...put: Put): Promise<Found> {
    return new Promise((resolve) => {
      if (this.#waiting.push({ put, resolve }) === 1) setImmediate(() => void this.#putAll());
    });
  }

  close(): void {
    this.state = { kind: 'closed' };
    this.#redis.disconnect();
  }

  async #tryOut(probeKey: string): Promise<void> {
    const [found] = await this.#call([[probeKey, '', 'probe', 1]]);
    if (found === undefined) return;
    this.#lastError = undefined;
    delete this.#redis.options.socketTimeout;
    this.#change({ kind: 'available' });
    this.#redis.client('SETNAME', 'poker-bridge').catch(() => undefined);
  }

  async #putAll(): Promise<void> {
    const waiting = this.#waiting.splice(0);
    const isAway = this.state.kind === 'away' || this.state.kind === 'closed';
    const found = isAway ? [] : await this.#call(waiting.map(({ put }) => put));
    for (const [index, { resolve }] of waiting.entries()) resolve(found[index]);
  }

  /**
   * @returns the value found for each entry; empty if Redis does not answer, and is unavailable from now on
   */
  async #call(puts: readonly Put[]): Promise<readonly Found[]> {
    const before = this.state;
    const keys = puts.map(([key]) => key);
    try {
      const answer = this.#redis.putEntries(keys.length, ...keys, ...puts.flatMap(([, ...entry]) => entry));
      return await within(ANSWER_TIMEOUT_MS, 'a call', answer);
    } catch (error) {
      // A Redis in cluster mode, even a single node, rejects keys of different slots in one command.
      if (puts.length > 1 && (error as Error).message.startsWith('CROSSSLOT'))
        return (await Promise.all(puts.map((put) => this.#call([put])))).map(([found]) => found);
      // The failure of a call on an earlier connection says nothing about this one.
      if (this.state !== before) return [];
      this.#leave(error as Error);
      // The connection may be half open, or lead to a server that no longer accepts writes.
      if (this.#redis.status === 'ready') this.#redis.disconnect(true);
      return [];
    }
  }

  #leave(error: Error & { code?: string } = new Error(LOST)): void {
    // A lost connection usually has an earlier reason.
    const isCut = CUT.has(error.code ?? error.message);
    if (!isCut || this.#lastError === undefined) this.#lastError = error;
    const sinceMs = this.state.kind === 'away' ? this.state.sinceMs : Date.now();
    this.#change({ kind: 'away', reason: reasonOf(this.#lastError, this.#tls), sinceMs });
  }

  #change(state: RedisState): void {
    const before = this.state.kind;
    if (before === 'closed') return;
    this.state = state;
    if (state.kind !== before) this.#onState(state);
  }
}

/** Connects to Redis once, and checks that it answers and how it behaves when its memory is full. */
export async function inspectRedis(url: string, tls: TlsContext) {
  const { Redis: client } = await import('ioredis');
  const redis = new client(url, {
    ...redisOptions(url, tls),
    connectTimeout: INSPECTION_TIMEOUT_MS,
    commandTimeout: INSPECTION_TIMEOUT_MS,
    retryStrategy: () => null,
  });
  let firstError: unknown;
  redis.on('error', (error) => (firstError ??= error));
  try {
    // Workers do the same; an account may lack the permission.
    await redis.eval('return 1', 0);
    // An account may lack the permission.
    const answer = await redis.config('GET', 'maxmemory-policy').catch(() => []);
    const [, evictionPolicy] = answer as readonly string[];
    const mayEvict = evictionPolicy !== undefined && !KEEPS_ALL.has(evictionPolicy);
    return { kind: 'available', evictionPolicy, mayEvict } as const;
  } catch (error) {
    return { kind: 'away', reason: reasonOf(firstError ?? error, tls) } as const;
  } finally {
    redis.disconnect();
  }
}

/**
 * Options of every connection to Redis. A Redis in protected mode, or with too many clients, sends an error
 * and closes at once: a client that writes more than one command before it reads sees only a reset
 * connection.
 */
function redisOptions(url: string, tls: TlsContext) {
  return {
    ...(url.startsWith('rediss:') && { tls: tls.material }),
    Connector: REDIS_CONNECTOR,
    protocol: 2,
    disableClientInfo: true,
    enableReadyCheck: false,
    maxRetriesPerRequest: 0,
  } as const;
}

/**
 * Returns why Redis cannot be used, without the part of an unknown command that Redis repeats: it may be a
 * password.
 */
function reasonOf(error: unknown, tls: TlsContext): string {
  return tls.describe(error).replace(/,? with args beginning with.*$/s, '');
}
