import { type ChannelModel, connect } from 'amqplib';

import type { TlsContext } from '#tls';

import { closeWithin } from '../connection/close-within.ts';

const NOT_FOUND = 404;
/** What RabbitMQ 3.10 closes a connection with when it fails over a key. */
const INTERNAL_ERROR = 541;
const IDLE_MS = 30_000;
const ANSWER_TIMEOUT_MS = 2_000;
const CLOSE_TIMEOUT_MS = 1_000;
const CONNECT_TIMEOUT_MS = 5_000;

/** A connection, and what the broker closed it with. */
interface Line {
  readonly model: ChannelModel;
  code?: unknown;
}

/**
 * Asks the broker whether it can read a direct reply-to key, on a connection of its own that a bad one may close: it
 * is opened when it is needed, and closed when it is idle.
 */
export class KeyProbe {
  readonly #urls: readonly string[];
  readonly #name: string;
  readonly #tls: TlsContext | undefined;
  #line: Promise<Line> | undefined;
  #idle: NodeJS.Timeout | undefined;

  /**
   * @param urls the nodes of one cluster, tried in turn
   * @param name of the connection, shown by the broker's management
   * @param tls of `amqps` URLs; default: what Node.js trusts, and no client certificate
   */
  constructor(urls: readonly string[], name: string, tls?: TlsContext) {
    this.#urls = urls;
    this.#name = name;
    this.#tls = tls;
  }

  /**
   * Also true of a key whose owner has gone; `undefined` if the broker could not be asked. Never rejects. Ask one at a
   * time: a bad key takes the others' answers away.
   */
  async isReadable(key: string): Promise<boolean | undefined> {
    clearTimeout(this.#idle);
    let line: Line | undefined;
    const timer = setTimeout(() => void this.close(), ANSWER_TIMEOUT_MS);
    try {
      line = await (this.#line ??= this.#connect());
      const channel = await line.model.createChannel();
      channel.on('error', () => undefined);
      await channel.checkQueue(key);
      await closeWithin(CLOSE_TIMEOUT_MS, channel);
      return true;
    } catch (error) {
      if ((error as { code?: unknown }).code === NOT_FOUND) return true;
      await this.close();
      return line?.code === INTERNAL_ERROR ? false : undefined;
    } finally {
      clearTimeout(timer);
      this.#idle = setTimeout(() => void this.close(), IDLE_MS).unref();
    }
  }

  async close(): Promise<void> {
    clearTimeout(this.#idle);
    const line = this.#line;
    this.#line = undefined;
    const model = (await line?.catch(() => undefined))?.model;
    if (model) await closeWithin(CLOSE_TIMEOUT_MS, model);
  }

  async #connect(): Promise<Line> {
    const line: Line = { model: await this.#connectToAny() };
    line.model.on('error', (error: Error & { code?: unknown }) => (line.code = error.code));
    return line;
  }

  async #connectToAny(): Promise<ChannelModel> {
    let reason: unknown;
    for (const url of this.#urls) {
      try {
        return await connect(url, {
          ...this.#tls?.material,
          timeout: CONNECT_TIMEOUT_MS,
          noDelay: true,
          clientProperties: { connection_name: this.#name },
        });
      } catch (error) {
        reason = error;
      }
    }
    throw reason;
  }
}
