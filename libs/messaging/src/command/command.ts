import type { Context } from '@opentelemetry/api';

import type { Reply } from '#contracts';
import type { Delivery } from '#rabbitmq';
import { Deadline } from '#resilience';

import type { Envelope } from '../envelope/open-envelope.ts';
import type { CommandTrace } from '../observer/messaging-observer.ts';
import type { Settlement } from './settlement.ts';

/** How far a handler came: what its next run continues from. Small, since it travels in a header. */
export type Progress = Readonly<Record<string, number | boolean>>;

/**
 * The second parameter of a handler, or one with `@Ctx()`: what it may know of its command apart from the data. The handler
 * and the client that it calls write to it; before the handler runs, the step `resume` restores `progress`.
 *
 * @typeParam Client the client of an operator, as `clientOf` of the options finds it
 */
export abstract class CommandContext<Client = unknown> {
  /** The command's identity. */
  abstract readonly id: string;
  /** The broker user that sent it; `anonymous` without one. */
  abstract readonly caller: string;
  /** Whose credentials to use. */
  abstract readonly operator: string;
  /** With those credentials. */
  abstract readonly client: Client;
  abstract readonly deadline: Deadline;
  /** Once it is not alive, settled or lost with its channel, no further call starts: the broker delivers what was lost again. */
  abstract readonly delivery: Pick<Delivery, 'isAlive'>;
  /** What the spans of its calls are children of, if it is traced. */
  abstract readonly traceContext: Context | undefined;
  /** Calls to the platform so far; the client counts them. */
  abstract attempts: number;
  /** When the call in flight began, by `performance.now()`; undefined while there is none. The client writes it. */
  abstract unansweredSinceMs: number | undefined;
  /** How far an earlier run came, if the command was postponed; a handler with several replies keeps it up to date. */
  abstract progress: Progress | undefined;
}

/** Runs the handler of a valid command, and gives what Nest made of its result. */
export type CommandHandler = (data: unknown, command: CommandContext) => Promise<unknown>;

/** The replies of one command as far as they were sent. Only the outbox writes to it, and `resume` before the first reply. */
export interface Replies {
  /** The number of the next reply. */
  sequence: number;
  /** Since when its queue has taken nothing, epoch milliseconds, over all runs of the command. */
  stalledSinceMs: number | undefined;
  /** The reply that is being sent while the handler runs. */
  underWay: Promise<void> | undefined;
  /** The final reply, once it was sent while the handler ran. */
  final: Reply | undefined;
}

/** What a step registered to be closed, and what was registered before. */
interface Tail {
  readonly close: (end: Settlement) => void;
  readonly before: Tail | undefined;
}

/** One command between its delivery and its acknowledgement. */
export class Command {
  readonly deadline: Deadline;
  readonly replies: Replies;
  trace: CommandTrace | undefined;
  /** Called when the command begins to wait for its reply queue: that is no work of its compartment. */
  onStall: (() => void) | undefined;
  /** What its handler is given, once it was checked. */
  context: CommandContext | undefined;
  /** An instance of its class, once it was checked. */
  data: object | undefined;
  handler: CommandHandler | undefined;
  #end: Settlement | undefined;
  /** What was registered last. */
  #tail: Tail | undefined;

  /** @param nowMs the time of day, epoch milliseconds */
  constructor(
    readonly delivery: Delivery,
    readonly envelope: Envelope,
    readonly nowMs: () => number,
    readonly receivedAtMs = nowMs(),
  ) {
    this.deadline = new Deadline(envelope.deadlineAtMs, nowMs());
    // As an earlier run left them.
    const { 'x-sequence': sequence = 0, 'x-stalled-since': stalledSinceMs } = envelope.own;
    this.replies = { sequence, stalledSinceMs, underWay: undefined, final: undefined };
  }

  /** Whether a worker has received this very message before, in its lane or in quarantine. */
  get isRedelivered(): boolean {
    return this.delivery.message.fields.redelivered || this.envelope.own['x-quarantine-starts'] !== undefined;
  }

  /** Calls to the platform so far. */
  get attempts(): number {
    return this.context?.attempts ?? 0;
  }

  /** How long the call in flight has been without an answer, in whole milliseconds; undefined while there is none. */
  get unansweredMs(): number | undefined {
    const sinceMs = this.context?.unansweredSinceMs;
    return sinceMs === undefined ? undefined : Math.round(performance.now() - sinceMs);
  }

  /** Registers what a step has to close at the end of the command, which calls it with what became of the command. */
  atEnd(close: Tail['close']): void {
    // A report that was canceled may still be in one of its steps.
    if (this.#end) close(this.#end);
    else this.#tail = { close, before: this.#tail };
  }

  /** Closes what the steps opened, the last one first. @throws the first error of a tail, once all of them were called */
  end(settlement: Settlement): void {
    this.#end = settlement;
    const errors: unknown[] = [];
    for (let tail = this.#tail; tail; tail = tail.before) {
      try {
        tail.close(settlement);
      } catch (error) {
        errors.push(error);
      }
    }
    this.#tail = undefined;
    if (errors.length > 0) throw errors[0];
  }
}

/** A command that may be run: nothing of this is asked again. */
export type CheckedCommand = Command & {
  readonly context: CommandContext;
  readonly data: object;
  readonly handler: CommandHandler;
};

/** Runs the steps that follow. It may throw, and its promise may reject. */
export type Next = (command: CheckedCommand) => Promise<Settlement>;

/** One step of a lane: settles a command, or passes it on and may change what comes back. What it opens, it closes. */
export type Step = (command: CheckedCommand, next: Next) => Promise<Settlement>;
