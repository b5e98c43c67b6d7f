import type { CommandData, CommandType, GameOpened, SessionCreated } from '@poker-bridge/contracts';
import type { ConnectionState } from '@poker-bridge/rabbitmq';

import { type PreparedCommand, Publisher } from './bus/publisher.ts';
import { ReplyQueue } from './bus/reply-queue.ts';
import { type CallerOptions, readOptions } from './caller-options.ts';
import { Attempts, type Bus } from './calls/attempts.ts';
import { call, type ReplyTo } from './calls/call.ts';
import {
  type CallOptions,
  type CommandOptions,
  type PlayerCommand,
  prepareCommand,
  type ReportCommand,
} from './calls/prepare-command.ts';
import { readReport } from './calls/read-report.ts';
import { CallerError } from './errors/caller-error.ts';
import { Replies } from './replies/replies.ts';
import type { AdHocRecord, RakeRecord, Report } from './reports/report.ts';

const PUBLISH_DEADLINE_MS = 15_000;

/**
 * Sends commands to poker-bridge and gives typed replies. It connects in the background and reconnects for as long as it
 * is open; a call that waits meanwhile loses nothing.
 */
export class Caller {
  readonly #closing = new AbortController();
  readonly #bus: Bus;

  /**
   * Begins to connect at once.
   *
   * @throws TypeError if there is no URL, or if a name cannot be used
   */
  constructor(options: CallerOptions) {
    const { urls, tls, sender } = readOptions(options);
    const { name, instance, onReply, onState } = options;
    const connection = (use: 'publishing' | 'consuming') => ({
      urls,
      tls,
      name: `${name} caller ${use}`,
      onState: (state: ConnectionState) => onState?.(use, state),
    });
    const queuePrefix = `${name}.`;
    const replies = new Replies(onReply);
    const publisher = new Publisher(connection('publishing'));
    const replyQueue = new ReplyQueue({
      ...connection('consuming'),
      prefix: `${queuePrefix}replies.`,
      instance,
      onDelivery: (delivery) => replies.take(delivery),
      onMoved: () => replies.lose(),
    });
    this.#bus = { sender, publisher, replies, replyQueue, queuePrefix, closing: this.#closing.signal };
  }

  /**
   * Where replies go: the durable queue of this process alone.
   *
   * @throws CallerError `NOT_CONNECTED` without an `instance`, until the caller is `ready`
   */
  get replyQueue(): string {
    const { name } = this.#bus.replyQueue;
    if (name !== undefined) return name;
    throw CallerError.of('NOT_CONNECTED', undefined, 'Give it an instance, or await ready() first.');
  }

  /** Why commands cannot be sent, or replies not be received, right now; `undefined` if all is well. Holds no password. */
  get lastError(): string | undefined {
    return this.#bus.publisher.connection.lastError ?? this.#bus.replyQueue.lastError;
  }

  /** Creates a session for a player. @throws as `request` does */
  createSession(data: CommandData['session.create'], options?: CallOptions): Promise<SessionCreated> {
    return this.request('session.create', data, options);
  }

  /** Opens the lobby for a player, or with `session.tableId` a table. @throws as `request` does */
  openGame(data: CommandData['game.open'], options?: CallOptions): Promise<GameOpened> {
    return this.request('game.open', data, options);
  }

  /** The figures of all players over a period, or of one. @throws as `fetchReport` does */
  fetchAdHocReport(data: CommandData['report.ad-hoc.fetch'], options?: CallOptions): Report<AdHocRecord> {
    return this.fetchReport('report.ad-hoc.fetch', data, options);
  }

  /** The rake of players over a period. @throws as `fetchReport` does */
  fetchRakeReport(data: CommandData['report.rake.fetch'], options?: CallOptions): Report<RakeRecord> {
    return this.fetchReport('report.rake.fetch', data, options);
  }

  /**
   * Sends any command that a player waits for, by its type.
   *
   * @throws CallerError as the worker answers, or as this library finds; the reason of the option `signal`
   */
  request<T extends PlayerCommand>(
    type: T,
    data: CommandData[T],
    options?: CallOptions,
  ): Promise<ReplyTo<T>> {
    return call(this.#bus, type, data, options);
  }

  /**
   * Any report, by its type. Fetched when it is first read.
   *
   * @throws CallerError `VALIDATION_FAILED`; reading the report throws everything else
   */
  fetchReport<T extends ReportCommand, R = unknown>(
    type: T,
    data: CommandData[T],
    options?: CallOptions,
  ): Report<R> {
    return readReport<T, R>(this.#bus, type, data, options);
  }

  /**
   * Gives exchange, routing key, properties and body of a command, for an outbox: keep them in the transaction, then
   * `publish` them or let a relay do it. Its replies come to `onReply`.
   *
   * @throws CallerError `VALIDATION_FAILED` if no message can have its id, `NOT_CONNECTED` if the caller has no `instance`
   *   and was not `ready` yet
   */
  prepare<T extends CommandType>(type: T, data: CommandData[T], options?: CommandOptions): PreparedCommand {
    return prepareCommand(this.#bus.sender, this.replyQueue, type, data, options);
  }

  /**
   * Publishes a prepared command. Settles once the broker has confirmed it.
   *
   * @throws CallerError `NO_WORKER`, `NOT_PERMITTED`, `LOGIN_REFUSED`, `INSTANCE_TAKEN`, `NOT_SENT` after `deadlineMs`
   *   (default 15 s) and 1.5 s, `CALLER_CLOSED`
   */
  async publish(
    command: PreparedCommand,
    { deadlineMs = PUBLISH_DEADLINE_MS, signal }: Pick<CallOptions, 'deadlineMs' | 'signal'> = {},
  ): Promise<void> {
    const attempts = new Attempts(this.#bus, command, deadlineMs, signal);
    try {
      await this.#bus.replyQueue.ready(attempts.limit.signal);
      await attempts.publish();
    } finally {
      attempts.limit.end();
    }
  }

  /**
   * Settles once commands can be sent and replies received.
   *
   * @throws CallerError `LOGIN_REFUSED`, `INSTANCE_TAKEN`; the signal's reason
   */
  async ready(signal: AbortSignal = this.#closing.signal): Promise<void> {
    await this.#bus.replyQueue.ready(signal);
  }

  /**
   * Rejects what is under way with `CALLER_CLOSED`, and closes the connections. The reply queue stays, so that the same
   * instance finds late replies. Never rejects.
   */
  async close(): Promise<void> {
    this.#closing.abort(CallerError.of('CALLER_CLOSED'));
    await Promise.all([this.#bus.replyQueue.close(), this.#bus.publisher.close()]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

/**
 * A caller that begins to connect at once.
 *
 * @throws TypeError if there is no URL, or if a name cannot be used
 */
export function createCaller(options: CallerOptions): Caller {
  return new Caller(options);
}
