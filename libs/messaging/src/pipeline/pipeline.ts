import type { Window } from '#resilience';

import { type Command, decodeCommand } from '../command/command.ts';
import { factsOf } from '../command/facts-of.ts';
import { waitedMs } from '../command/waited-ms.ts';
import type { EnvelopeRules } from '../envelope/open-envelope.ts';
import type { CommandTrace, CommandTracer } from '../observer/command-tracer.ts';
import type { MessagingObserver } from '../observer/messaging-observer.ts';
import type { Delivery } from '../rabbitmq/consuming/delivery.ts';
import { InFlight } from './in-flight.ts';
import type { InterruptedRuns } from './interrupted-runs.ts';
import { leaveShare } from './lane-window.ts';
import { codeOf, type Settlement } from './settlement.ts';
import type { Settler } from './settler.ts';
import { chain, type Next, type Step } from './step.ts';

/** One command from its delivery to its acknowledgement: decoded, settled by the steps, and that carried out. */
export class Pipeline {
  readonly #rules: EnvelopeRules;
  readonly #run: Next;
  readonly #settler: Settler;
  readonly #window: Window;
  readonly #interrupted: InterruptedRuns;
  readonly #observer: MessagingObserver;
  readonly inFlight = new InFlight();
  readonly #tracer: CommandTracer | undefined;

  constructor(
    rules: EnvelopeRules,
    steps: readonly Step[],
    settler: Settler,
    window: Window,
    interrupted: InterruptedRuns,
    observer: MessagingObserver,
    tracer: CommandTracer | undefined,
  ) {
    this.#rules = rules;
    this.#run = chain(steps);
    this.#settler = settler;
    this.#window = window;
    this.#interrupted = interrupted;
    this.#observer = observer;
    this.#tracer = tracer;
  }

  /** Never rejects: what cannot be answered now goes back to the broker. */
  async process(delivery: Delivery): Promise<void> {
    const command = decodeCommand(delivery, this.#rules);
    const key = this.inFlight.add(command);
    if (this.#tracer) command.run.trace = startTrace(this.#tracer, command);
    this.#observer.commandTaken(command.lane, delivery.message.fields.redelivered, waitedMs(command));
    let settlement: Settlement;
    try {
      settlement = await this.#run(command);
    } catch (cause) {
      settlement = { kind: 'return', cause };
    }
    const settled = await this.#settler.settle(command, settlement);
    const { trace, attempts } = command.run;
    trace?.end({ settlement: settled.kind, code: codeOf(settled), attempts });
    // What was lost with its channel comes again.
    if (settled.kind !== 'return' && !delivery.isLost) this.#interrupted.end(command);
    leaveShare(this.#window, command);
    this.inFlight.remove(key);
    this.#observer.commandReleased(command.lane);
  }
}

function startTrace(tracer: CommandTracer, command: Command): CommandTrace {
  const { delivery, envelope, receivedAtMs } = command;
  return tracer.start(factsOf(command, receivedAtMs), {
    queue: delivery.queue,
    bodyBytes: delivery.bodyBytes,
    traceparent: envelope.traceparent,
  });
}
