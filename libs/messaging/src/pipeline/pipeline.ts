import type { Lane } from '#contracts';
import type { Delivery } from '#rabbitmq';
import { InFlight, type Place } from '#rabbitmq/collections';

import { Command, type CommandHandler } from '../command/command.ts';
import { moveTo } from '../command/copy-of.ts';
import { factsOf, waitedMs } from '../command/command-facts.ts';
import { causeOf, failureOf, type Settlement, settlementOf } from '../command/settlement.ts';
import { type EnvelopeRules, LARGE_BYTES, openEnvelope } from '../envelope/open-envelope.ts';
import type { CommandTracer } from '../observer/messaging-observer.ts';
import type { Outbox } from '../replies/outbox.ts';
import { LargeBodies } from './large-bodies.ts';
import { type LaneOptions, type LaneParts, type Lanes, lanesOf } from './lanes.ts';
import { Quarantine, type QuarantineOptions } from './quarantine.ts';
import { refuse, type RefuseOptions } from './refuse.ts';
import { settle, type SettleOptions } from './settle.ts';
import type { Survivals } from './survivals.ts';

/** A command goes into quarantine at its fourth delivery. */
const QUARANTINED_AFTER_REDELIVERIES = 3;

export type PipelineOptions = EnvelopeRules &
  LaneOptions &
  RefuseOptions &
  QuarantineOptions &
  SettleOptions & { readonly tracer?: CommandTracer | undefined };

export interface PipelineParts extends LaneParts {
  /** By command type. */
  readonly handlers: ReadonlyMap<string, CommandHandler>;
  readonly survivals: Survivals;
}

/**
 * Processes a command from its delivery to its acknowledgement: opens the message, runs the steps of its
 * lane, and carries out the settlement.
 */
export class Pipeline {
  readonly #options: PipelineOptions;
  readonly #handlers: PipelineParts['handlers'];
  readonly #lanes: Lanes;
  readonly #quarantine: Quarantine;
  readonly #outbox: Outbox;
  readonly #largeBodies = new LargeBodies();
  readonly #inFlight = new InFlight<Command>();

  constructor(options: PipelineOptions, parts: PipelineParts) {
    this.#options = options;
    this.#handlers = parts.handlers;
    this.#lanes = lanesOf(options, parts);
    this.#quarantine = new Quarantine(options, parts.survivals);
    this.#outbox = parts.outbox;
  }

  /**
   * Returns when the oldest in-flight command of a lane was received, epoch milliseconds; undefined if there
   * is none.
   */
  oldestMs(lane: Lane): number | undefined {
    for (const { item } of this.#inFlight) if (item.envelope.lane === lane) return item.receivedAtMs;
    return undefined;
  }

  /**
   * Called after each reconnect. Ends the waiting commands of the lost connection, which the broker
   * redelivers.
   */
  connected(): void {
    this.#quarantine.connected();
    for (const { item } of this.#inFlight) if (item.delivery.isLost && item.isWaiting) item.deadline.expire();
  }

  /** Never rejects: a command that cannot be settled is requeued. */
  readonly process = (delivery: Delivery): Promise<void> => {
    const receivedAtMs = this.#options.nowMs();
    const { content, properties } = delivery.message;
    if (content.length <= LARGE_BYTES) return this.#process(delivery, receivedAtMs);
    return this.#largeBodies.read(String(properties.userId), () => this.#process(delivery, receivedAtMs));
  };

  async #process(delivery: Delivery, receivedAtMs: number): Promise<void> {
    // A large body may have been lost while it waited.
    if (delivery.isLost) return;
    const { observer } = this.#options;
    let command: Command | undefined;
    let place: Place<Command> | undefined;
    let end: Settlement = { kind: 'return', cause: undefined };
    try {
      command = this.#open(delivery, receivedAtMs);
      place = this.#inFlight.add(command);
      const { lane } = command.envelope;
      observer.commandTaken(lane, delivery.message.fields.redelivered, waitedMs(command));
      let settlement: Settlement;
      try {
        const moved = await this.#route(command);
        if (moved) settlement = moved;
        else {
          const checked = refuse(command, this.#handlers, this.#options);
          command = place.item = checked;
          settlement = await this.#lanes[lane](checked);
        }
      } catch (thrown) {
        settlement = settlementOf(command, thrown);
      }
      end = await settle(command, settlement, this.#options, this.#outbox);
    } catch (error) {
      this.#failed(error, delivery, command);
    }
    if (!command || !place) return;
    this.#inFlight.leave(place);
    try {
      command.end(end);
      const { trace, attempts } = command;
      trace?.end({ settlement: end.kind, code: failureOf(end)?.code, cause: causeOf(end), attempts });
      observer.commandReleased(command.envelope.lane);
    } catch (error) {
      this.#failed(error, delivery, command);
    }
  }

  /** Reports an unexpected error, which affects this delivery and not the process. */
  #failed(error: unknown, delivery: Delivery, command: Command | undefined): void {
    // Has no effect on a delivery that was acknowledged before.
    delivery.requeue();
    const messageId: unknown = delivery.message.properties.messageId;
    const facts = command ? factsOf(command) : { id: typeof messageId === 'string' ? messageId : '' };
    try {
      this.#options.observer.pipelineFailed(facts, error);
    } catch {
      // The observer itself is failing.
    }
  }

  #open(delivery: Delivery, receivedAtMs: number): Command {
    const { nowMs, tracer } = this.#options;
    const { message, queue, bodyBytes } = delivery;
    const envelope = openEnvelope(message, this.#options, bodyBytes, receivedAtMs);
    const command = new Command(delivery, envelope, nowMs, receivedAtMs);
    const { traceparent } = envelope;
    command.trace = tracer?.start(factsOf(command), { queue, bodyBytes, traceparent });
    return command;
  }

  /**
   * Moves a command that is in the wrong lane, or that may have killed a worker. Returns undefined if it runs
   * here.
   */
  #route(command: Command): ReturnType<Quarantine['admit']> {
    const { names } = this.#options;
    const { delivery, envelope } = command;
    // This command gets only a reply: a copy would hide its fault.
    if (envelope.fault || envelope.violations.length > 0) return undefined;
    if (delivery.queue === names.quarantine) return this.#quarantine.admit(command);
    // At a first delivery, the publisher may have forged the count: the broker sets it from the second
    // delivery on.
    const mayHaveKilled =
      delivery.message.fields.redelivered && delivery.redeliveries >= QUARANTINED_AFTER_REDELIVERIES;
    if (mayHaveKilled) return moveTo(names.quarantine, command);
    // A copy has no priority. A command that its caller made the broker prefer goes behind those that have
    // waited.
    const lane = names.lanes[envelope.lane];
    const staysHere = delivery.queue === lane && !delivery.isPreferred;
    return staysHere || !envelope.knownType ? undefined : moveTo(lane, command);
  }
}
