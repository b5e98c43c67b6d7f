import { Redis } from 'ioredis';

import { answerWithin } from './answer-within.ts';
import { reasonOf } from './redis-reason.ts';
import { type IdentityCommands, IDENTITY_SCRIPTS } from './redis-scripts.ts';

/** Longest wait for an answer; also for the first connection, of those who need it. */
const ANSWER_TIMEOUT_MS = 250;
/** Of the client's own commands when it connects, for which nobody waits. */
const HANDSHAKE_TIMEOUT_MS = 1_000;
const CONNECT_TIMEOUT_MS = 2_000;
/** After a failure, nothing is tried for so long. */
const PAUSE_MS = 1_000;
const FIRST_RECONNECT_MS = 50;
const CONNECTION_LOST = 'Connection lost';

export type RedisState =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'available' }
  /** `sinceMs` is epoch milliseconds; `reason` holds neither address credentials nor data. */
  | { readonly kind: 'away'; readonly reason: string; readonly sinceMs: number }
  | { readonly kind: 'closed' };

export type RedisClient = Redis & IdentityCommands;

export interface RedisLinkOptions {
  /** `redis:` or `rediss:`. It may hold a password. */
  readonly url: string;
  /** Does what a command will do; Redis counts as available once that works. */
  readonly rehearse: (redis: RedisClient) => Promise<unknown>;
  /** Called when `available` and `away` change. */
  readonly onState: (state: RedisState) => void;
  readonly nowMs: () => number;
}

/**
 * A connection to Redis that nobody waits for: what cannot be done within a quarter of a second is not done, the
 * first failure is the last one for a while, and it is back by itself once Redis is.
 */
export class RedisLink {
  readonly #options: RedisLinkOptions;
  readonly #redis: RedisClient;
  readonly #firstAnswer = Promise.withResolvers<void>();
  #firstTimer: NodeJS.Timeout | undefined;
  #state: RedisState = { kind: 'connecting' };
  #connectionId = '';
  #lastError: unknown = CONNECTION_LOST;
  #reconnect: NodeJS.Timeout | undefined;

  /** Begins to connect at once. */
  constructor(options: RedisLinkOptions) {
    this.#options = options;
    this.#redis = new Redis(options.url, {
      scripts: IDENTITY_SCRIPTS,
      connectionName: 'poker-bridge',
      disableClientInfo: true,
      commandTimeout: HANDSHAKE_TIMEOUT_MS,
      connectTimeout: CONNECT_TIMEOUT_MS,
      disconnectTimeout: ANSWER_TIMEOUT_MS,
      enableOfflineQueue: false,
      autoResendUnfulfilledCommands: false,
      maxRetriesPerRequest: 0,
      retryStrategy: (attempts) => Math.min(PAUSE_MS, FIRST_RECONNECT_MS * 2 ** (attempts - 1)),
    }) as RedisClient;
    this.#redis.on('error', (error) => (this.#lastError = error));
    this.#redis.on('close', () => this.#leave(this.#lastError));
    this.#redis.on('ready', () => void this.#rehearse());
  }

  get state(): RedisState {
    return this.#state;
  }

  /** Redis's own number of this connection, a new one after each reconnect; '' where Redis does not tell. */
  get connectionId(): string {
    return this.#connectionId;
  }

  /** What `work` comes to, or `undefined` while Redis is away. Never rejects. */
  async attempt<T>(work: (redis: RedisClient) => Promise<T>): Promise<T | undefined> {
    // A worker's first commands are the ones that its predecessor left behind.
    if (this.#state.kind === 'connecting') await this.#untilConnected();
    if (this.#state.kind !== 'available') return undefined;
    try {
      return await answerWithin(ANSWER_TIMEOUT_MS, work(this.#redis));
    } catch (error) {
      this.#leave(error);
      return undefined;
    }
  }

  /** Says goodbye, or hangs up where that is not answered in time. */
  async close(): Promise<void> {
    this.#change({ kind: 'closed' });
    clearTimeout(this.#reconnect);
    if (this.#redis.status === 'ready') {
      const isAnswered = await answerWithin(ANSWER_TIMEOUT_MS, this.#redis.quit()).then(
        () => true,
        () => false,
      );
      if (isAnswered) return;
    }
    this.#redis.disconnect();
  }

  #untilConnected(): Promise<void> {
    this.#firstTimer ??= setTimeout(() => this.#leave(new Error('No connection yet')), ANSWER_TIMEOUT_MS);
    return this.#firstAnswer.promise;
  }

  async #rehearse(): Promise<void> {
    try {
      const work = Promise.all([this.#learnConnectionId(), this.#options.rehearse(this.#redis)]);
      await answerWithin(ANSWER_TIMEOUT_MS, work);
      this.#lastError = CONNECTION_LOST;
      this.#change({ kind: 'available' });
    } catch (error) {
      this.#leave(error);
    }
  }

  async #learnConnectionId(): Promise<void> {
    // An account may be forbidden to ask, and a proxy unable to answer.
    const id = await this.#redis.client('ID').catch(() => '');
    this.#connectionId = String(id);
  }

  #leave(error: unknown): void {
    const sinceMs = this.#state.kind === 'away' ? this.#state.sinceMs : this.#options.nowMs();
    this.#change({ kind: 'away', reason: reasonOf(error), sinceMs });
    // A connection that stands and fails may be half dead, or lead to a server that takes no writes any more.
    if (this.#redis.status === 'ready' && this.#state.kind === 'away') {
      this.#reconnect ??= setTimeout(() => this.#renew(), PAUSE_MS);
    }
  }

  #renew(): void {
    this.#reconnect = undefined;
    if (this.#state.kind === 'away' && this.#redis.status === 'ready') this.#redis.disconnect(true);
  }

  #change(state: RedisState): void {
    const before = this.#state.kind;
    if (before === 'closed') return;
    this.#state = state;
    clearTimeout(this.#firstTimer);
    this.#firstAnswer.resolve();
    if (state.kind !== before && state.kind !== 'closed') this.#options.onState(state);
  }
}
