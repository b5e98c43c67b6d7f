import { connect, type ChannelModel } from 'amqplib';

import { exponentialMs, within } from '#resilience';
import { TlsContext } from '#tls';

import { closeWithin, destroySocket } from './close-within.ts';
import { corkWrites } from './cork-writes.ts';

const CONNECT_TIMEOUT_MS = 5_000;
const SET_UP_TIMEOUT_MS = 5_000;
const CLOSE_TIMEOUT_MS = 2_000;
const FIRST_DELAY_MS = 100;
const LONGEST_DELAY_MS = 5_000;
/** A node that is silent for twice as long counts as lost. */
const HEARTBEAT_SECONDS = 5;

export type ConnectionState =
  | { readonly kind: 'connecting'; readonly reason: string }
  | { readonly kind: 'open' }
  /** The broker takes nothing from publishers: memory or disk alarm. */
  | { readonly kind: 'blocked'; readonly reason: string }
  | { readonly kind: 'closed' };

export interface BrokerConnectionOptions {
  /** The nodes of one cluster, tried in turn. */
  readonly urls: readonly string[];
  /** Shown by the broker's management. */
  readonly name: string;
  /** Makes channels and topology after each connect. If it throws, the connection is closed and made again. */
  readonly setUp: (connection: ChannelModel) => Promise<void>;
  /** Default 5 s. */
  readonly setUpTimeoutMs?: number;
  readonly onState: (state: ConnectionState) => void;
  /** Of `amqps` URLs. Default: what Node.js trusts, and no client certificate. */
  readonly tls?: TlsContext | undefined;
  /** 0 to 1. */
  readonly random: () => number;
}

/** One connection to the broker that is recreated, with growing pauses, until it is closed. */
export class BrokerConnection {
  readonly #options: BrokerConnectionOptions;
  readonly #tls: TlsContext;
  #state: ConnectionState = { kind: 'connecting', reason: 'not connected yet' };
  #model: ChannelModel | undefined;
  #isOpened = false;
  #attempts = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: BrokerConnectionOptions) {
    this.#options = options;
    this.#tls = options.tls ?? new TlsContext('AMQP');
  }

  get state(): ConnectionState {
    return this.#state;
  }

  /** Whether a connection is the one in use. */
  isCurrent(model: ChannelModel): boolean {
    return this.#model === model;
  }

  /** Begins to connect, the first time that it is called; returns at once. */
  open(): void {
    if (this.#isOpened) return;
    this.#isOpened = true;
    void this.#connect();
  }

  /** Drops a connection, so that another one follows; nothing happens if that one follows already. */
  reset(model: ChannelModel, reason: string): void {
    if (this.isCurrent(model)) destroySocket(model, new Error(reason));
  }

  /** Closes for good. Always settles, also if the broker does not answer. */
  async close(): Promise<void> {
    const model = this.#model;
    this.#model = undefined;
    clearTimeout(this.#timer);
    this.#change({ kind: 'closed' });
    if (model) await closeWithin(CLOSE_TIMEOUT_MS, model);
  }

  /** Connects once, and asks for the next attempt when that fails or the connection is lost. */
  async #connect(): Promise<void> {
    const { urls } = this.#options;
    const url = urls[this.#attempts % urls.length] ?? '';
    let model: ChannelModel | undefined;
    try {
      model = await connect(withHeartbeat(url), {
        ...this.#tls.material,
        timeout: CONNECT_TIMEOUT_MS,
        noDelay: true,
        clientProperties: { connection_name: this.#options.name },
      });
      const lost = this.#watch(model);
      if (this.#state.kind === 'closed') throw new Error('closed while it connected');
      corkWrites(model);
      await this.#setUp(model, lost);
      this.#attempts = 0;
      this.#change({ kind: 'open' });
      await lost;
    } catch (error) {
      if (this.#model === model) this.#model = undefined;
      if (model) await closeWithin(CLOSE_TIMEOUT_MS, model);
      this.#retry(error);
    }
  }

  /** @returns what rejects when the connection is lost */
  #watch(model: ChannelModel): Promise<never> {
    this.#model = model;
    let reason = 'the broker closed the connection';
    model.on('error', (error) => (reason = error.message));
    model.on('blocked', (why) => this.#change({ kind: 'blocked', reason: why }));
    model.on('unblocked', () => this.#change({ kind: 'open' }));
    const lost = new Promise<never>((_, reject) => model.on('close', () => reject(new Error(reason))));
    // Nothing may get to wait for it.
    lost.catch(() => undefined);
    return lost;
  }

  /**
   * A queue without a leader does not answer a declaration or a consumer; another node may know of one.
   *
   * @throws Error as the set-up does, as the loss of the connection does, or if both take too long
   */
  async #setUp(model: ChannelModel, lost: Promise<never>): Promise<void> {
    const { setUp, setUpTimeoutMs = SET_UP_TIMEOUT_MS } = this.#options;
    // A channel that is cut while it closes never says so: the loss ends the set-up in any case.
    await within(setUpTimeoutMs, 'the set-up', Promise.race([setUp(model), lost]));
  }

  #retry(error: unknown): void {
    if (this.#state.kind === 'closed') return;
    this.#change({ kind: 'connecting', reason: this.#tls.describe(error) });
    this.#attempts += 1;
    const longest = exponentialMs(this.#attempts, FIRST_DELAY_MS, LONGEST_DELAY_MS);
    this.#timer = setTimeout(() => void this.#connect(), longest * (0.5 + this.#options.random() / 2));
  }

  #change(state: ConnectionState): void {
    if (this.#state.kind === 'closed') return;
    this.#state = state;
    this.#options.onState(state);
  }
}

function withHeartbeat(url: string): string {
  const parsed = new URL(url);
  if (!parsed.searchParams.has('heartbeat')) parsed.searchParams.set('heartbeat', String(HEARTBEAT_SECONDS));
  return parsed.href;
}
