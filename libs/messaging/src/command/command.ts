import type { Context } from '@opentelemetry/api';

import type { Reply } from '#contracts';
import type { Delivery } from '#rabbitmq';
import { Deadline } from '#resilience';

import type { Envelope } from '../envelope/open-envelope.ts';
import { parseObject } from '../envelope/read-body.ts';
import type { CommandTrace } from '../observer/messaging-observer.ts';
import type { Settlement } from './settlement.ts';

/**
 * The progress of a handler, from which its next run continues. It must be small because it is sent in a
 * header.
 */
export type Progress = Readonly<Record<string, number | boolean>>;

/**
 * The second parameter of a handler, or one with `@Ctx()`: the facts of its command apart from the data. The
 * handler and the client that it calls write to it; before the handler runs, `resume` may restore `progress`.
 *
 * @typeParam Client the client of an operator, as returned by `clientOf` of the options
 */
export abstract class CommandContext<Client = unknown> {
  abstract readonly id: string;
  /** The broker user that sent it; `anonymous` without one. */
  abstract readonly caller: string;
  /** The operator whose credentials are used. */
  abstract readonly operator: string;
  /** The client of the platform with those credentials. */
  abstract readonly client: Client;
  abstract readonly deadline: Deadline;
  /**
   * Once the delivery is settled or lost with its channel, no further call starts: the broker redelivers a
   * lost command.
   */
  abstract readonly delivery: Pick<Delivery, 'isAlive'>;
  /** The parent of the spans of its calls, if the command is traced. */
  abstract readonly traceContext: Context | undefined;
  /** The number of calls to the platform so far, counted by the client. */
  abstract attempts: number;
  /**
   * When the in-flight call began, by `performance.now()`; undefined if there is none. Written by the client.
   */
  abstract unansweredSinceMs: number | undefined;
  /**
   * True until the handler runs, and while its call waits for a connection to the platform. Such a command
   * ends if its delivery is lost. Written by the pipeline and the client.
   */
  abstract isWaiting: boolean;
  /** The progress of an earlier run, if there was one. A handler with several replies keeps it up to date. */
  abstract progress: Progress | undefined;
}

/** Runs the handler of a valid command, and returns its result as wrapped by Nest. */
export type CommandHandler = (data: unknown, command: CommandContext) => Promise<unknown>;

/** The state of a command's replies. Only the outbox writes to it, and `resume` before the first reply. */
export interface Replies {
  /** The number of the next reply. */
  sequence: number;
  /**
   * The time since which the reply queue has accepted nothing, epoch milliseconds, over all runs of the
   * command.
   */
  stalledSinceMs: number | undefined;
  /** The reply that is being sent while the handler runs. */
  underWay: Promise<void> | undefined;
  /** The final reply, once it was sent while the handler ran. */
  final: Reply | undefined;
}

/** A command between its delivery and its acknowledgement. */
export class Command {
  readonly replies: Replies;
  trace: CommandTrace | undefined;
  /**
   * Called when the command starts to wait for its reply queue, which does not count as work of its
   * compartment.
   */
  onStall: (() => void) | undefined;
  attempts = 0;
  unansweredSinceMs: number | undefined;
  isWaiting = true;
  progress: Progress | undefined;
  #end: Settlement | undefined;
  readonly #tails: ((end: Settlement) => void)[] = [];

  /** @param nowMs the time of day, epoch milliseconds */
  constructor(
    readonly delivery: Delivery,
    readonly envelope: Envelope,
    readonly nowMs: () => number,
    readonly receivedAtMs = nowMs(),
    readonly deadline = new Deadline(envelope.deadlineAtMs, nowMs()),
  ) {
    // The state that an earlier run left.
    const { 'x-sequence': sequence = 0, 'x-stalled-since': stalledSinceMs } = envelope.own;
    this.replies = { sequence, stalledSinceMs, underWay: undefined, final: undefined };
    this.progress = parseProgress(envelope.own['x-progress']);
  }

  /** True if a worker has received this very message before, in its lane or in quarantine. */
  get isRedelivered(): boolean {
    return this.delivery.message.fields.redelivered || this.envelope.own['x-quarantine-starts'] !== undefined;
  }

  /** How long the in-flight call has not been answered, in whole milliseconds; undefined if there is none. */
  get unansweredMs(): number | undefined {
    const { unansweredSinceMs: sinceMs } = this;
    return sinceMs === undefined ? undefined : Math.round(performance.now() - sinceMs);
  }

  /** Registers a function that runs at the end of the command, with its settlement. */
  atEnd(close: (end: Settlement) => void): void {
    // A canceled report may still be in one of its steps.
    if (this.#end) close(this.#end);
    else this.#tails.push(close);
  }

  /**
   * Calls the registered functions, the last one first.
   *
   * @throws the first error of such a function, after all of them were called
   */
  end(settlement: Settlement): void {
    this.#end = settlement;
    const errors: unknown[] = [];
    for (let close = this.#tails.pop(); close; close = this.#tails.pop()) {
      try {
        close(settlement);
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0) throw errors[0];
  }
}

/**
 * A command that passed all checks of `refuse`, which are not repeated. It takes the place of the opened one,
 * whose registered functions run at its end. It is the second argument of its handler.
 */
export class CheckedCommand extends Command implements CommandContext {
  readonly id: string;
  readonly caller: string;
  readonly operator: string;
  readonly traceContext: Context | undefined;

  /** @param data the validated data, an instance of its class */
  constructor(
    opened: Command,
    readonly client: unknown,
    readonly data: object,
    readonly handler: CommandHandler,
  ) {
    const { delivery, envelope, nowMs, receivedAtMs, deadline, trace } = opened;
    super(delivery, envelope, nowMs, receivedAtMs, deadline);
    ({ id: this.id, caller: this.caller, operator: this.operator } = envelope);
    this.trace = trace;
    this.traceContext = trace?.context;
    this.atEnd((end) => opened.end(end));
  }
}

/**
 * Returns the progress that a copy carries; undefined unless it is an object of numbers and booleans, because
 * another version may have written it.
 */
function parseProgress(json: string | undefined): Progress | undefined {
  const progress = json === undefined ? undefined : parseObject(Buffer.from(json));
  const isKnown = Object.values(progress ?? {}).every((value) => /^(number|boolean)$/.test(typeof value));
  return isKnown ? (progress as Progress | undefined) : undefined;
}

/** Runs the remaining steps. It may throw, and its promise may reject. */
export type Next = (command: CheckedCommand) => Promise<Settlement>;

/**
 * A step of a lane: settles a command, or calls `next` and may change its result. It releases what it
 * acquires.
 */
export type Step = (next: Next) => Next;
