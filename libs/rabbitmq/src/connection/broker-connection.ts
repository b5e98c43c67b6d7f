import type { ChannelModel } from 'amqplib';

import { BrokerError, type ConnectOptions, connectTo } from './connect.ts';
import { destroySocket } from '../amqplib/destroy-socket.ts';
import { closeInTime } from '../channel/channel.ts';
import { pause, within } from '../channel/time-limit.ts';

const SET_UP_TIMEOUT_MS = 5_000;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;

export type ConnectionState =
  /** The broker is unreachable; connecting is retried. */
  | { readonly kind: 'connecting'; readonly reason: string }
  | { readonly kind: 'open' }
  /** The broker accepts nothing from publishers because of a memory or disk alarm. */
  | { readonly kind: 'blocked'; readonly reason: string }
  /**
   * The broker refuses the user, password or virtual host. Retried, because an administrator may correct
   * that.
   */
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'closed' };

export interface BrokerConnectionOptions extends ConnectOptions {
  /** The nodes of one cluster, tried in turn. The URLs contain a password. */
  readonly urls: readonly string[];
  /** Connects to the node of this connection instead, once it is established. */
  readonly follows?: BrokerConnection | undefined;
  /**
   * Creates channels and declares the topology after each connect. If it throws, the connection is closed and
   * recreated.
   */
  readonly setUp?: ((connection: ChannelModel) => Promise<void>) | undefined;
  /** Default 5 s. */
  readonly setUpTimeoutMs?: number;
  readonly onState?: (state: ConnectionState) => void;
}

/** A connection to the broker that is recreated, with exponential backoff, until it is closed. */
export class BrokerConnection {
  readonly #options: BrokerConnectionOptions;
  readonly #closing = new AbortController();
  #state: ConnectionState = { kind: 'connecting', reason: 'not connected yet' };
  /** The most recently opened connection, in any state: being set up, in use or lost. */
  #opened: ChannelModel | undefined;
  #openedAtMs = 0;
  #url = '';
  #model: ChannelModel | undefined;
  #isStarted = false;
  /** Consecutive failures. */
  #failures = 0;
  /** Resolvers called at the next change of state. */
  #waiting: (() => void)[] = [];

  constructor(options: BrokerConnectionOptions) {
    this.#options = options;
  }

  get state(): ConnectionState {
    return this.#state;
  }

  /** The URL of the node tried last, with its password. */
  get url(): string {
    return this.#url;
  }

  /** The connection in use, also while the broker blocks it; `undefined` until it is set up. */
  get model(): ChannelModel | undefined {
    return this.#model;
  }

  /** The reason why there is no connection, or why the broker accepts nothing; `undefined` if all is well. */
  get lastError(): string | undefined {
    return 'reason' in this.#state ? this.#state.reason : undefined;
  }

  /** Starts to connect, and returns at once. Further calls have no effect. */
  open(): void {
    if (!this.#isStarted) void this.#keep();
    this.#isStarted = true;
  }

  /** Waits for the connection. @throws Error if it is closed for good */
  async established(): Promise<ChannelModel> {
    while (!this.#model) {
      if (this.#closing.signal.aborted) throw new Error('The connection is closed.');
      await this.changed();
    }
    return this.#model;
  }

  /** Resolves at the next change of state. */
  changed(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Drops the connection in use, unless it is connected to the node with this URL. */
  leave(reason: string, unlessAt?: string): void {
    if (this.#model && this.#url !== unlessAt) this.reset(this.#model, reason);
  }

  /**
   * Drops a connection, so that it is recreated. No effect if it is no longer in use or younger than
   * `olderThanMs`.
   */
  reset(model: ChannelModel, reason: string, olderThanMs = 0): void {
    if (this.#model !== model || performance.now() - this.#openedAtMs < olderThanMs) return;
    destroySocket(model, new Error(reason));
  }

  /** Closes for good. Always settles, even if the broker does not answer. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#model = undefined;
    this.#change({ kind: 'closed' });
    if (this.#opened) await closeInTime(this.#opened);
  }

  async #keep(): Promise<void> {
    const { urls, follows } = this.#options;
    for (let turn = 0; !this.#closing.signal.aborted; turn += 1) {
      const startedMs = performance.now();
      try {
        await follows?.established();
        this.#url = follows ? follows.#url : (urls[turn % urls.length] ?? '');
        await this.#serve(this.#url);
      } catch (error) {
        const isRefused = error instanceof BrokerError && error.fault !== 'unreachable';
        this.#change({ kind: isRefused ? 'refused' : 'connecting', reason: (error as Error).message });
      }
      const intervalMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.#failures);
      const longestMs = Math.max(FIRST_PAUSE_MS, intervalMs - (performance.now() - startedMs));
      this.#failures += 1;
      await pause(longestMs * (0.5 + Math.random() / 2), this.#closing.signal);
    }
  }

  /**
   * Serves one connection until it is lost.
   *
   * @throws Error why it could not connect, or why the connection was lost
   */
  async #serve(url: string): Promise<never> {
    const { setUp, setUpTimeoutMs = SET_UP_TIMEOUT_MS } = this.#options;
    const model = await connectTo(url, this.#options);
    try {
      const lost = this.#watch(model);
      if (this.#closing.signal.aborted) throw new Error('closed while it connected');
      this.#opened = model;
      this.#openedAtMs = performance.now();
      // A channel interrupted while closing never settles, so a lost connection also ends the set-up.
      if (setUp) await within(setUpTimeoutMs, 'the set-up', Promise.race([setUp(model), lost]));
      this.#failures = 0;
      if (!this.#closing.signal.aborted) this.#model = model;
      this.#change(this.#state.kind === 'blocked' ? this.#state : { kind: 'open' });
      return await lost;
    } finally {
      this.#model = undefined;
      await closeInTime(model);
    }
  }

  /** @returns a promise that rejects when the connection is lost */
  #watch(model: ChannelModel): Promise<never> {
    let reason = 'the broker closed the connection';
    model.on('error', (error) => (reason = error.message));
    model.on('blocked', (why) => this.#change({ kind: 'blocked', reason: why }));
    model.on('unblocked', () => this.#change({ kind: 'open' }));
    const lost = new Promise<never>((_, reject) =>
      // The broker may close without an error, for example when the virtual host is deleted.
      model.on('close', (error?: Error) => reject(new Error(error?.message ?? reason))),
    );
    lost.catch(() => undefined);
    return lost;
  }

  #change(state: ConnectionState): void {
    if (this.#state.kind === 'closed') return;
    this.#state = state;
    this.#options.onState?.(state);
    for (const wake of this.#waiting.splice(0)) wake();
  }
}
