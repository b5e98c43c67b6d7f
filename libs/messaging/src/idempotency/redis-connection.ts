import type { Redis } from 'ioredis';

import { within } from '#rabbitmq';
import { TlsContext } from '#tls';

import type { InternalKeys } from '../envelope/seal.ts';

const ANSWER_TIMEOUT_MS = 250;
/** For a connection, and for each answer of ioredis's handshake; nobody waits for them. */
const CONNECT_TIMEOUT_MS = 1_000;
const PAUSE_MS = 500;
const INSPECTION_TIMEOUT_MS = 3_000;
const LOST = 'Connection lost';
const CUT = new Set(['ECONNRESET', 'EPIPE', LOST]);
/** Policies for a full memory; any other one may remove an identity before its time. */
const KEEPS_ALL = new Set(['noeviction', 'volatile-ttl']);

export type RedisState =
  | { readonly kind: 'connecting' | 'available' | 'closed' }
  /** `sinceMs` is epoch milliseconds; `reason` holds neither credentials nor data. */
  | { readonly kind: 'away'; readonly reason: string; readonly sinceMs: number };

export interface RedisStoreOptions {
  /** The class of ioredis, which is not loaded here: few workers have a Redis. */
  readonly client: typeof Redis;
  /** `redis:` or `rediss:`. It may hold a password. */
  readonly url: string;
  /** For a `rediss:` URL. Default: what Node.js trusts, and no client certificate. */
  readonly tls?: TlsContext | undefined;
  /** What every key begins with. */
  readonly prefix: string;
  readonly ttlMs: number;
  /** How long the claims of a dead worker hold; default 1500. */
  readonly leaseMs?: number;
  /** Encrypt the replies that are kept, and hide whose they are. */
  readonly internalKeys: InternalKeys;
  /** Called when Redis becomes available and when it goes away. */
  readonly onState: (state: RedisState) => void;
}

/** An entry to write: the value that it may replace, the new one, and how long that holds. */
type Put = readonly [key: string, over: string, value: string, durationMs: number];

/** What stood in the way of an entry, or null; `undefined` while Redis is away. */
export type Found = string | null | undefined;

/** ioredis with the script below. */
type ScriptedRedis = Redis & {
  putEntries(keys: number, ...keysAndEntries: readonly (string | number)[]): Promise<Found[]>;
};

/** A value that is no text was not written by a worker, and counts as absent. */
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
 * A connection to Redis that nobody waits for twice. After the first call that fails, or has no answer within a quarter of
 * a second, Redis is away: calls end at once without an answer, until a new connection has taken a write.
 */
export class RedisConnection {
  state: RedisState = { kind: 'connecting' };
  readonly #onState: RedisStoreOptions['onState'];
  readonly #tls: TlsContext;
  readonly #redis: ScriptedRedis;
  /** Why Redis cannot be used; `undefined` once it can. */
  #lastError: unknown;
  /** What is written at the end of this turn of the event loop. */
  #gathered: Put[] = [];
  #answers: Promise<readonly Found[]> | undefined;

  /** @param probeKey of an entry that nobody reads */
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
        Object.assign(this.#redis.options, redisOptions(url, tls));
        return PAUSE_MS;
      },
    }) as ScriptedRedis;
    this.#redis.on('error', (error) => this.#leave(error));
    this.#redis.on('close', () => this.#leave());
    this.#redis.on('ready', () => void this.#tryOut(probeKey));
  }

  /**
   * Writes a value unless there is another one than it, or `over`, with all others of this turn of the event loop: a call costs
   * as much as what it deduplicates. Never rejects.
   *
   * @param value '' removes the one that may be replaced, and so only looks if `over` is ''
   * @returns that other one, or null; `undefined` while Redis is away
   */
  async put(...put: Put): Promise<Found> {
    const index = this.#gathered.push(put) - 1;
    this.#answers ??= this.#putGathered();
    return (await this.#answers)[index];
  }

  close(): void {
    this.state = { kind: 'closed' };
    this.#redis.disconnect();
  }

  async #tryOut(probeKey: string): Promise<void> {
    const [found] = await this.#call([[probeKey, '', 'probe', 1]]);
    if (found === undefined) return;
    this.#lastError = undefined;
    this.#change({ kind: 'available' });
    this.#redis.client('SETNAME', 'poker-bridge').catch(() => undefined);
  }

  async #putGathered(): Promise<readonly Found[]> {
    await new Promise(setImmediate);
    const puts = this.#gathered;
    this.#gathered = [];
    this.#answers = undefined;
    const { kind } = this.state;
    return kind === 'away' || kind === 'closed' ? [] : this.#call(puts);
  }

  /** @returns what was found for each; nothing if Redis does not answer, and is away from now on */
  async #call(puts: readonly Put[]): Promise<readonly Found[]> {
    const before = this.state;
    const keys = puts.map(([key]) => key);
    try {
      const answer = this.#redis.putEntries(keys.length, ...keys, ...puts.flatMap(([, ...entry]) => entry));
      return await within(ANSWER_TIMEOUT_MS, 'a call', answer);
    } catch (error) {
      // A Redis in cluster mode, also if it is the only one, takes no keys of different slots together.
      if (puts.length > 1 && (error as Error).message.startsWith('CROSSSLOT'))
        return (await Promise.all(puts.map((put) => this.#call([put])))).map(([found]) => found);
      // What was asked over an earlier connection says nothing about this one.
      if (this.state !== before) return [];
      this.#leave(error as Error);
      // The connection may be half dead, or lead to a server that takes no writes any more.
      if (this.#redis.status === 'ready') this.#redis.disconnect(true);
      return [];
    }
  }

  #leave(error: Error & { code?: string } = new Error(LOST)): void {
    // A connection that is cut usually has a reason that came before.
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

/** Connects to Redis once, asks it for an answer and for what it does when its memory is full. */
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
    // Workers do the same, and an account may be forbidden to.
    await redis.eval('return 1', 0);
    // An account may be forbidden to ask.
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
 * Options of every connection to Redis. A Redis in protected mode, or with too many clients, says so and closes without
 * being asked: a client that writes more than one command before it reads finds its connection reset instead.
 */
function redisOptions(url: string, tls: TlsContext) {
  return {
    ...(url.startsWith('rediss:') && { tls: tls.material }),
    protocol: 2,
    disableClientInfo: true,
    enableReadyCheck: false,
    maxRetriesPerRequest: 0,
  } as const;
}

/** Why Redis cannot be used, without what it repeats of a command that it does not know: perhaps a password. */
function reasonOf(error: unknown, tls: TlsContext): string {
  return tls.describe(error).replace(/,? with args beginning with.*$/s, '');
}
