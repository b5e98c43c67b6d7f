import { type BusNames, CommandError } from '#contracts';
import { Deadline } from '#resilience';

import type { Delivery } from '../consuming/delivery.ts';
import { type EnvelopeRules, openEnvelope } from '../envelope/open-envelope.ts';
import type { MessagingObserver } from '../messaging-observer.ts';
import type { CopyPublisher } from '../publishing/copy-publisher.ts';
import { CommandInHand } from './command-in-hand.ts';
import type { Conclusion } from './conclude.ts';
import type { Decision } from './decide.ts';
import { copyOf } from './copy-of.ts';
import { factsOf } from './facts-of.ts';
import { failureOf, type Outcome } from './outcome.ts';
import { routeOf } from './route-of.ts';

export interface PipelineOptions {
  readonly names: BusNames;
  readonly rules: EnvelopeRules;
  /** Starts in quarantine before a command is poison (setting `DELIVERY_LIMIT`). */
  readonly deliveryLimit: number;
  readonly decision: Decision;
  readonly conclusion: Conclusion;
  readonly copies: CopyPublisher;
  readonly observer: MessagingObserver;
}

/**
 * One command from its delivery to its acknowledgement: opened, routed, decided, concluded. Nothing outside
 * acknowledges.
 */
export class Pipeline {
  readonly #options: PipelineOptions;

  constructor(options: PipelineOptions) {
    this.#options = options;
  }

  /** Never rejects: what cannot be answered now goes back to the broker. */
  async handle(delivery: Delivery): Promise<void> {
    const { names, rules, deliveryLimit, decision, conclusion, observer } = this.#options;
    const receivedAtMs = rules.nowMs();
    const envelope = openEnvelope(delivery.message, rules);
    const deadline = new Deadline(envelope.deadlineAtMs, rules.nowMs);
    const command = new CommandInHand(delivery, envelope, deadline, receivedAtMs);
    observer.commandTaken(command.lane);
    try {
      const route = routeOf(command, names, deliveryLimit);
      if (route.kind === 'move') return await this.#move(command, route.queue, route.headers);
      const outcome = route.kind === 'poison' ? this.#poison(command) : await decision.of(command);
      await conclusion.of(command, outcome);
    } catch (error) {
      delivery.giveBack();
      observer.commandReturned(factsOf(command, rules.nowMs()), error);
    } finally {
      observer.commandReleased(command.lane);
    }
  }

  #poison(command: CommandInHand): Outcome {
    return failureOf(command, new CommandError('POISON_COMMAND'), this.#options.rules.nowMs());
  }

  async #move(
    command: CommandInHand,
    queue: string,
    headers: Readonly<Record<string, number>>,
  ): Promise<void> {
    const { copies, observer, rules } = this.#options;
    const { delivery } = command;
    const copy = copyOf(command, { queue, headers });
    await copies.publish(copy, () => delivery.isAlive);
    delivery.acknowledge();
    observer.commandMoved(factsOf(command, rules.nowMs()), queue);
  }
}
