import type { ConnectionOptions } from 'node:tls';

import { type ChannelModel, connect } from 'amqplib';

import { abortable, pause } from './abortable.ts';
import { closeWithin, destroySocket, reasonOf } from './broker-calls.ts';
import { type Deferred, deferred } from './deferred.ts';

const CONNECT_TIMEOUT_MS = 5_000;
const CLOSE_TIMEOUT_MS = 2_000;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;
/** A node that is silent for twice as long counts as lost. */
const HEARTBEAT_SECONDS = 5;

export interface ConnectionSettings {
  /** The nodes of one cluster, tried in turn. They hold a password. */
  readonly urls: readonly string[];
  /** Shown by the broker's management. */
  readonly name: string;
  readonly tls: ConnectionOptions;
  /** 0 to 1. */
  readonly random: () => number;
}

/** One connection to the broker that is recreated, with growing pauses, until it is closed. */
export class Connection {
  readonly #settings: ConnectionSettings;
  readonly #closing = new AbortController();
  readonly #kept: Promise<void>;
  #next: Deferred<ChannelModel> = deferred();
  #model: ChannelModel | undefined;
  #isBlocked = false;
  #lastError: string | undefined;

  /** Begins to connect at once. */
  constructor(settings: ConnectionSettings) {
    this.#settings = settings;
    this.#kept = this.#keep();
  }

  /** Whether the broker takes nothing from publishers: memory or disk alarm. */
  get isBlocked(): boolean {
    return this.#isBlocked;
  }

  /** Why there is no connection, or why it takes nothing; `undefined` if all is well. */
  get lastError(): string | undefined {
    return this.#lastError;
  }

  /** The connection, once there is one. @throws the signal's reason */
  established(signal: AbortSignal): Promise<ChannelModel> {
    return abortable(this.#next.promise, signal);
  }

  isCurrent(model: ChannelModel): boolean {
    return this.#model === model;
  }

  /** Drops a connection, so that another one follows; nothing happens if that one follows already. */
  reset(model: ChannelModel, reason: string): void {
    if (this.isCurrent(model)) destroySocket(model, new Error(reason));
  }

  /** Closes for good. Always settles. */
  async close(): Promise<void> {
    this.#closing.abort();
    const model = this.#model;
    if (model) await closeWithin(CLOSE_TIMEOUT_MS, model);
    await this.#kept;
  }

  async #keep(): Promise<void> {
    const { urls, random } = this.#settings;
    const { signal } = this.#closing;
    for (let turn = 0, failures = 0; !signal.aborted; turn += 1) {
      try {
        const model = await this.#open(urls[turn % urls.length] ?? '');
        failures = 0;
        await this.#lost(model);
      } catch (error) {
        this.#lastError = reasonOf(error);
      }
      const longestMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** failures);
      failures = Math.min(failures + 1, 10);
      await pause(longestMs * (0.5 + random() / 2), signal).catch(() => undefined);
    }
  }

  async #open(url: string): Promise<ChannelModel> {
    const { name, tls } = this.#settings;
    const model = await connect(withHeartbeat(url), {
      ...tls,
      timeout: CONNECT_TIMEOUT_MS,
      noDelay: true,
      clientProperties: { connection_name: name },
    });
    model.on('error', (error: Error) => (this.#lastError = error.message));
    model.on('blocked', (reason: string) => this.#block(true, `the broker takes no messages: ${reason}`));
    model.on('unblocked', () => this.#block(false, undefined));
    if (!this.#closing.signal.aborted) return model;
    await closeWithin(CLOSE_TIMEOUT_MS, model);
    throw new Error('closed while it connected');
  }

  /** Offers a connection until it is lost. */
  async #lost(model: ChannelModel): Promise<void> {
    const closed = new Promise<void>((resolve) => model.on('close', () => resolve()));
    this.#model = model;
    this.#block(false, undefined);
    this.#next.resolve(model);
    await closed;
    this.#model = undefined;
    this.#lastError ??= 'the broker closed the connection';
    this.#next = deferred();
  }

  #block(isBlocked: boolean, reason: string | undefined): void {
    this.#isBlocked = isBlocked;
    this.#lastError = reason;
  }
}

function withHeartbeat(url: string): string {
  const parsed = new URL(url);
  if (!parsed.searchParams.has('heartbeat')) parsed.searchParams.set('heartbeat', String(HEARTBEAT_SECONDS));
  return parsed.href;
}
