import { busNames, type CommandType, LANE_OF_COMMAND } from '@poker-bridge/contracts';

import { pause } from '../connection/abortable.ts';
import { CallerError } from '../errors/caller-error.ts';
import type { Bus } from './bus.ts';
import { CallLimit } from './call-limit.ts';
import type { PreparedCommand } from './prepare-command.ts';
import { retryPauseMs } from './retry-pause.ts';

/** A command that a player waits for is run once, however often it is published; a report is run each time. */
const FIRST_ANSWER_MS = { interactive: 1_000, reports: 5_000 } as const;

/** One command on its way, sent as often as that can help, for as long as its call waits. */
export class Attempts {
  readonly limit: CallLimit;
  readonly #bus: Bus;
  readonly #command: PreparedCommand;
  readonly #lane: keyof typeof FIRST_ANSWER_MS;
  #isSent = false;
  #failures = 0;

  /** @param signal ends the wait */
  constructor(bus: Bus, command: PreparedCommand, deadlineMs: number, signal?: AbortSignal) {
    this.#bus = bus;
    this.#command = command;
    this.#lane = LANE_OF_COMMAND[command.routingKey as CommandType];
    this.limit = new CallLimit(deadlineMs, () => this.#expired(), [signal, bus.closing]);
  }

  /** @throws CallerError `NO_WORKER`, `NOT_PERMITTED`; the limit's reason */
  async publish(): Promise<void> {
    const { signal } = this.limit;
    const firstAnswerMs = FIRST_ANSWER_MS[this.#lane];
    await this.#bus.publisher.publish(this.#command, { signal, firstAnswerMs });
    this.#isSent = true;
  }

  /**
   * Waits before the command is sent again.
   *
   * @throws what it failed with, if sending it again cannot help within its deadline; the limit's reason
   */
  async pauseAfter(error: unknown): Promise<void> {
    const { signal, remainingMs } = this.limit;
    signal.throwIfAborted();
    this.#failures += 1;
    const pauseMs = retryPauseMs(error, this.#failures, remainingMs, Math.random);
    if (pauseMs === undefined) throw error;
    await pause(pauseMs, signal);
  }

  #expired(): CallerError {
    const { connection, reader, sender } = this.#bus;
    const fault = connection.lastError ?? reader.lastError;
    const lane = busNames(sender.prefix).lanes[this.#lane];
    const hint = fault === undefined ? `Is ${lane} served?` : `The last error: ${fault}.`;
    return CallerError.of(this.#isSent ? 'NO_REPLY' : 'NOT_SENT', this.#command.id, hint);
  }
}
