import type { CommandData, CommandType, ReplyTo as ReplyOf } from '@poker-bridge/contracts';

import { BrokerLink } from './broker-link.ts';
import { type Bus, Call } from './call.ts';
import { CallerError } from './caller-error.ts';
import { type CallerOptions, type ConnectionOf, readOptions } from './caller-options.ts';
import {
  type CallOptions,
  type CommandOptions,
  type PlayerCommand,
  prepareCommand,
  type PreparedCommand,
  type ReportCommand,
} from './command.ts';
import { InFlightCalls } from './in-flight-calls.ts';
import type { Link } from './link.ts';
import type { AdHocRecord, RakeRecord } from './record.ts';
import { Replies } from './replies.ts';
import { FetchedReport, type Report } from './report.ts';
import { Retries } from './retries.ts';

const DEADLINE_MS = 15_000;

type Connect = (options: CallerOptions, replies: Replies, connectionOf: ConnectionOf) => Link;

const overBroker: Connect = (...given) => new BrokerLink(...given);

/** The data of the reply to a command. */
export type ReplyTo<T extends PlayerCommand> = ReplyOf<T>['data'];

/**
 * Sends commands to poker-bridge and returns typed replies. Connects in the background, and reconnects until
 * it is closed.
 */
export class Caller {
  readonly #closing = new AbortController();
  readonly #bus: Bus;
  readonly #calls = new InFlightCalls();

  /** @param connect returns the link to the workers. Default: the broker in the options */
  constructor(options: CallerOptions, connect: Connect = overBroker) {
    const { sender, connectionOf } = readOptions(options);
    const { retry, onCall, onReply, onUnreadable } = options;
    const replies = new Replies(onReply, onUnreadable);
    const link = connect(options, replies, connectionOf);
    const shared = { retries: new Retries(), retry, onCall, closing: this.#closing.signal };
    this.#bus = { sender, link, replies, ...shared };
  }

  /**
   * The name of the reply queue.
   *
   * @throws CallerError `NOT_CONNECTED` without an `instance`, until the caller is `ready`
   */
  get replyQueue(): string {
    const { replyQueue } = this.#bus.link;
    if (replyQueue !== undefined) return replyQueue;
    throw CallerError.of('NOT_CONNECTED', undefined, 'Give it an instance, or await ready() first.');
  }

  /**
   * Why commands cannot be sent or replies received at the moment; `undefined` without a fault. Contains no
   * password.
   */
  get lastError(): string | undefined {
    return this.#bus.link.lastError;
  }

  /** Creates a session for a player. @throws as `request` does */
  createSession(
    data: CommandData['session.create'],
    options?: CallOptions,
  ): Promise<ReplyTo<'session.create'>> {
    return this.request('session.create', data, options);
  }

  /** Opens the lobby for a player, or a table if `session.tableId` is set. @throws as `request` does */
  openGame(data: CommandData['game.open'], options?: CallOptions): Promise<ReplyTo<'game.open'>> {
    return this.request('game.open', data, options);
  }

  /** Fetches the figures of all players, or of one player, over a period. @throws as `fetchReport` does */
  fetchAdHocReport(data: CommandData['report.ad-hoc.fetch'], options?: CallOptions): Report<AdHocRecord> {
    return this.fetchReport('report.ad-hoc.fetch', data, options);
  }

  /** Fetches the rake of players over a period. @throws as `fetchReport` does */
  fetchRakeReport(data: CommandData['report.rake.fetch'], options?: CallOptions): Report<RakeRecord> {
    return this.fetchReport('report.rake.fetch', data, options);
  }

  /**
   * Sends a player command by its type.
   *
   * @throws CallerError with a code of the worker or of this library; the reason of the option `signal`
   */
  async request<T extends PlayerCommand>(
    type: T,
    data: CommandData[T],
    { deadlineMs = DEADLINE_MS, ...options }: CallOptions = {},
  ): Promise<ReplyTo<T>> {
    const command = prepareCommand(this.#bus.sender, '', type, data, { ...options, deadlineMs });
    using call = new Call(this.#bus, command, deadlineMs, options);
    try {
      const result = await this.#calls.join(command, call, () => this.#send<T>(command.id, call));
      call.ended('succeeded');
      return result;
    } catch (error) {
      call.ended('failed', error);
      throw error;
    }
  }

  /**
   * Returns a report by its type. It is fetched when it is first read; errors occur there.
   *
   * @throws CallerError `VALIDATION_FAILED`
   */
  fetchReport<T extends ReportCommand, R = unknown>(
    type: T,
    data: CommandData[T],
    options?: CallOptions,
  ): Report<R> {
    return new FetchedReport<R>(this.#bus, type, data, options);
  }

  /**
   * Returns a command for an outbox. Store it in the transaction, then `publish` it, or let a relay publish
   * it; `onReply` receives its replies.
   *
   * @throws CallerError `VALIDATION_FAILED` if the id is not a valid message id, `NOT_CONNECTED` as
   *   `replyQueue` does
   */
  prepare<T extends CommandType>(type: T, data: CommandData[T], options?: CommandOptions): PreparedCommand {
    return prepareCommand(this.#bus.sender, this.replyQueue, type, data, options);
  }

  /**
   * Publishes a prepared command. Settles when the broker has confirmed it.
   *
   * @throws CallerError `NO_WORKER`, `NOT_PERMITTED`, `LOGIN_REFUSED`, `INSTANCE_TAKEN`, `NOT_SENT`,
   *   `CALLER_CLOSED`
   */
  async publish(
    command: PreparedCommand,
    { deadlineMs = DEADLINE_MS, signal }: Pick<CallOptions, 'deadlineMs' | 'signal'> = {},
  ): Promise<void> {
    using call = new Call(this.#bus, command, deadlineMs, { signal });
    await call.publish();
  }

  /**
   * Settles when replies can be received.
   *
   * @throws CallerError `LOGIN_REFUSED`, `INSTANCE_TAKEN`; the signal's reason
   */
  async ready(signal: AbortSignal = this.#closing.signal): Promise<void> {
    await this.#bus.link.ready(signal);
  }

  /**
   * Rejects the calls in flight with `CALLER_CLOSED`, and disconnects. Late replies stay in the queue. Never
   * rejects.
   */
  async close(): Promise<void> {
    this.#closing.abort(CallerError.of('CALLER_CLOSED'));
    await this.#bus.link.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Sends the command of a call, and retries it after retryable failures. */
  async #send<T extends PlayerCommand>(id: string, call: Call): Promise<ReplyTo<T>> {
    const { replies } = this.#bus;
    try {
      return await call.next(replies.expect(id), (reply) => {
        if (reply.type === 'command.failed') throw CallerError.ofReply(reply.data);
        if (!reply.isFinal) throw CallerError.of('REPLY_UNREADABLE', reply.commandId);
        return reply.data as ReplyTo<T>;
      });
    } finally {
      replies.forget(id);
    }
  }
}

/**
 * Creates a caller, which starts to connect immediately.
 *
 * @throws TypeError if there is no URL, or if a name is invalid
 */
export function createCaller(options: CallerOptions): Caller {
  return new Caller(options);
}
