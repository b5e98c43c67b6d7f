import type { Window } from '#resilience';

import { decodeCommand } from '../command/command.ts';
import type { EnvelopeRules } from '../envelope/open-envelope.ts';
import type { MessagingObserver } from '../observer/messaging-observer.ts';
import type { Delivery } from '../rabbitmq/consuming/delivery.ts';
import type { Settlement } from './settlement.ts';
import type { Settler } from './settler.ts';
import { chain, type Next, type Step } from './step.ts';

/** One command from its delivery to its acknowledgement: decoded, settled by the steps, and that carried out. */
export class Pipeline {
  readonly #rules: EnvelopeRules;
  readonly #run: Next;
  readonly #settler: Settler;
  readonly #window: Window;
  readonly #observer: MessagingObserver;

  constructor(
    rules: EnvelopeRules,
    steps: readonly Step[],
    settler: Settler,
    window: Window,
    observer: MessagingObserver,
  ) {
    this.#rules = rules;
    this.#run = chain(steps);
    this.#settler = settler;
    this.#window = window;
    this.#observer = observer;
  }

  /** Never rejects: what cannot be answered now goes back to the broker. */
  async process(delivery: Delivery): Promise<void> {
    const command = decodeCommand(delivery, this.#rules);
    this.#observer.commandTaken(command.lane);
    let settlement: Settlement;
    try {
      settlement = await this.#run(command);
    } catch (cause) {
      settlement = { kind: 'return', cause };
    }
    await this.#settler.settle(command, settlement);
    const { holding } = command.run;
    if (holding) this.#window.leave(holding, command.receivedAtMs);
    this.#observer.commandReleased(command.lane);
  }
}
