import type { Lane, Reply } from '#contracts';
import type { Delivery } from '#rabbitmq';
import { Deadline } from '#resilience';

import type { Envelope } from '../envelope/envelope.ts';
import { QUARANTINE_STARTS, SEQUENCE, STALLED_SINCE } from '../envelope/own-headers.ts';
import type { CommandTrace } from '../observer/command-tracer.ts';
import type { Settlement } from './settlement.ts';
import type { CommandContext } from './command-context.ts';

/** Runs the handler of a valid command, and gives what Nest made of its result. */
export type CommandHandler = (data: unknown, command: CommandContext) => Promise<unknown>;

/** Called once, with what became of a command. */
type Tail = (end: Settlement) => void;

/** The replies of one command as far as they were sent. Only the outbox writes to it, and `resume` before the first reply. */
export class Replies {
  /** Of the next reply. */
  sequence: number;
  /** Since when its queue has taken nothing, epoch milliseconds, over all runs of the command. */
  stalledSinceMs: number | undefined;
  /** The reply that is being sent while the handler runs. */
  underWay: Promise<void> | undefined;
  /** The final reply, once it was sent while the handler ran. */
  final: Reply | undefined;

  /** @param sequence,stalledSinceMs as an earlier run left them; anything else counts as a first run */
  constructor(sequence: unknown, stalledSinceMs: unknown) {
    this.sequence = Number.isSafeInteger(sequence) && Number(sequence) >= 0 ? Number(sequence) : 0;
    this.stalledSinceMs = typeof stalledSinceMs === 'number' ? stalledSinceMs : undefined;
  }
}

/** One command between its delivery and its acknowledgement. */
export class Command {
  readonly delivery: Delivery;
  readonly envelope: Envelope;
  /** The lane whose policies apply; an unknown type is answered on the interactive one. */
  readonly lane: Lane;
  readonly receivedAtMs: number;
  readonly deadline: Deadline;
  readonly replies: Replies;
  readonly trace: CommandTrace | undefined;
  #context: CommandContext | undefined;
  #data: object | undefined;
  #handler: CommandHandler | undefined;
  readonly #tails: Tail[] = [];

  constructor(
    delivery: Delivery,
    envelope: Envelope,
    lane: Lane,
    nowMs: () => number,
    startTrace?: (command: Command) => CommandTrace,
  ) {
    this.delivery = delivery;
    this.envelope = envelope;
    this.lane = lane;
    this.receivedAtMs = nowMs();
    this.deadline = new Deadline(envelope.deadlineAtMs, this.receivedAtMs);
    this.replies = new Replies(envelope.own[SEQUENCE], envelope.own[STALLED_SINCE]);
    this.trace = startTrace?.(this);
  }

  /** What its handler is given, once it was checked. */
  get context(): CommandContext | undefined {
    return this.#context;
  }

  get data(): object | undefined {
    return this.#data;
  }

  get handler(): CommandHandler | undefined {
    return this.#handler;
  }

  /** Whether a worker has received this very message before, in its lane or in quarantine. */
  get isRedelivered(): boolean {
    return this.delivery.message.fields.redelivered || this.envelope.own[QUARANTINE_STARTS] !== undefined;
  }

  /** Calls to the platform so far. */
  get attempts(): number {
    return this.#context?.attempts ?? 0;
  }

  /** The same command, of which is known from here on that it may be run. */
  accept(context: CommandContext, data: object, handler: CommandHandler): CheckedCommand {
    this.#context = context;
    this.#data = data;
    this.#handler = handler;
    return this as CheckedCommand;
  }

  /** Registers what a step has to close at the end of the command. */
  atEnd(tail: Tail): void {
    this.#tails.push(tail);
  }

  /** Closes what the steps opened, the last one first. */
  end(settlement: Settlement): void {
    for (let tail = this.#tails.pop(); tail; tail = this.#tails.pop()) tail(settlement);
  }
}

/** A command that may be run: nothing of this is asked again. */
export interface CheckedCommand extends Command {
  readonly context: CommandContext;
  /** An instance of its class. */
  readonly data: object;
  readonly handler: CommandHandler;
}
