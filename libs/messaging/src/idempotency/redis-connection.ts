import type { Redis } from 'ioredis';

import { within } from '#rabbitmq';
import { TlsContext, tlsFaultOf, type TlsMaterial } from '#tls';

import { reasonOf, refusalOf } from './redis-refusal.ts';

const ANSWER_TIMEOUT_MS = 250;
/** For a connection, and for each command of ioredis's handshake; nobody waits for them. */
const CONNECT_TIMEOUT_MS = 1_000;
const PROBE_EVERY_MS = 500;

export type RedisState =
  | { readonly kind: 'connecting' | 'available' | 'closed' }
  /** `sinceMs` is epoch milliseconds; `reason` holds neither credentials nor data. */
  | { readonly kind: 'away'; readonly reason: string; readonly sinceMs: number };

export interface RedisConnectionOptions {
  /** The class of ioredis, which is not loaded here: few workers have a Redis. */
  readonly client: typeof Redis;
  /** `redis:` or `rediss:`. It may hold a password. */
  readonly url: string;
  /** For a `rediss:` URL. Default: what Node.js trusts, and no client certificate. */
  readonly tls?: TlsContext | undefined;
  /** Called when Redis becomes available and when it goes away. */
  readonly onState: (state: RedisState) => void;
  /** Epoch milliseconds. */
  readonly nowMs: () => number;
}

interface Scripts {
  putEntry(key: string, over: string, value: string, durationMs: number): Promise<string | null>;
}

/** What is no text was not written by a worker, and counts as absent. */
const PUT_ENTRY = `
local found = redis.pcall('GET', KEYS[1])
if type(found) == 'string' and found ~= ARGV[1] and found ~= ARGV[2] then return found end
if ARGV[2] == '' then redis.call('DEL', KEYS[1])
else redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3]) end
return false
`;

/**
 * A connection to Redis that nobody waits for twice. After the first call that fails, or has no answer within a quarter of
 * a second, Redis is away: calls end at once without an answer, until a probe of its own succeeds.
 */
export class RedisConnection {
  readonly #options: RedisConnectionOptions;
  readonly #probeKey: string;
  readonly #tls: TlsContext;
  readonly #redis: Redis & Scripts;
  #state: RedisState = { kind: 'connecting' };
  #lastError: unknown = 'No connection yet';
  /** Whether the present connection was ever of use. */
  #wasReady = false;
  #nextProbe: NodeJS.Timeout | undefined;

  /** @param probeKey where nothing is kept */
  constructor(options: RedisConnectionOptions, probeKey: string) {
    this.#options = options;
    this.#probeKey = probeKey;
    const { url, tls = new TlsContext('REDIS') } = options;
    this.#tls = tls;
    this.#redis = new options.client(url, {
      ...(url.startsWith('rediss:') && { tls: materialOf(tls) }),
      scripts: { putEntry: { lua: PUT_ENTRY, numberOfKeys: 1 } },
      // Nothing here needs more, and a refusal of HELLO says less than one of AUTH.
      protocol: 2,
      connectionName: 'poker-bridge',
      disableClientInfo: true,
      commandTimeout: CONNECT_TIMEOUT_MS,
      connectTimeout: CONNECT_TIMEOUT_MS,
      disconnectTimeout: ANSWER_TIMEOUT_MS,
      autoResendUnfulfilledCommands: false,
      maxRetriesPerRequest: 0,
    }) as Redis & Scripts;
    this.#redis.on('error', (error) => this.#note(error));
    this.#redis.on('close', () => void this.#onClose());
    this.#redis.on('ready', () => (this.#wasReady = true));
    this.#redis.once('ready', () => void this.#tryOut());
  }

  get state(): RedisState {
    return this.#state;
  }

  /**
   * Writes a value unless there is another one than it, or `over`. Never rejects.
   *
   * @param value '' removes the one that may be replaced, and so only looks if `over` is ''
   * @returns that other one, or null; `undefined` while Redis is away
   */
  put(key: string, over: string, value: string, durationMs: number): Promise<string | null | undefined> {
    const { kind } = this.#state;
    if (kind === 'away' || kind === 'closed') return Promise.resolve(undefined);
    return this.#put(key, over, value, durationMs);
  }

  close(): void {
    this.#state = { kind: 'closed' };
    clearTimeout(this.#nextProbe);
    this.#redis.disconnect();
  }

  async #put(...entry: Parameters<Scripts['putEntry']>): Promise<string | null | undefined> {
    const before = this.#state;
    try {
      return await within(ANSWER_TIMEOUT_MS, 'a call', this.#redis.putEntry(...entry));
    } catch (error) {
      // A connection that is lost has said why before.
      if (this.#redis.status === 'ready') this.#lastError = error;
      // What was asked before Redis was back says nothing about it now.
      if (this.#state === before) this.#leave();
      return undefined;
    }
  }

  /** Makes the call that decides whether Redis is available, so that no command has to. */
  async #tryOut(): Promise<void> {
    if ((await this.#put(this.#probeKey, '', 'probe', 1)) !== undefined) {
      this.#lastError = 'Connection lost';
      this.#change({ kind: 'available' });
    } else if (this.#redis.status === 'ready') {
      // The connection may be half dead, or lead to a server that takes no writes any more.
      this.#redis.disconnect(true);
    }
  }

  #leave(): void {
    if (this.#state.kind === 'closed') return;
    const sinceMs = this.#state.kind === 'away' ? this.#state.sinceMs : this.#options.nowMs();
    this.#change({ kind: 'away', reason: reasonOf(this.#lastError, this.#tls), sinceMs });
    this.#nextProbe ??= setTimeout(() => {
      this.#nextProbe = undefined;
      void this.#tryOut();
    }, PROBE_EVERY_MS).unref();
  }

  /** Redis that refuses usually cuts the connection before its reason can be read: then what it said before holds. */
  #note(error: Error): void {
    const isCut = 'code' in error && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
    if (!isCut || !isRefusal(this.#lastError)) this.#lastError = error;
  }

  async #onClose(): Promise<void> {
    const mayRefuse = !this.#wasReady && this.#state.kind !== 'closed';
    this.#wasReady = false;
    const refusal = mayRefuse ? await refusalOf(this.#options.url, this.#tls) : undefined;
    if (refusal) this.#lastError = refusal;
    this.#leave();
  }

  #change(state: RedisState): void {
    const before = this.#state.kind;
    if (before === 'closed') return;
    this.#state = state;
    if (state.kind !== before) this.#options.onState(state);
  }
}

/** What Redis has said by itself, or a certificate that it does not accept. */
function isRefusal(error: unknown): boolean {
  return (error as Error).name === 'ReplyError' || tlsFaultOf(error) === 'client-certificate';
}

/** ioredis copies these members each time that it connects. */
function materialOf(tls: TlsContext): TlsMaterial {
  return {
    get ca() {
      return tls.material.ca;
    },
    get cert() {
      return tls.material.cert;
    },
    get key() {
      return tls.material.key;
    },
  } as TlsMaterial;
}
