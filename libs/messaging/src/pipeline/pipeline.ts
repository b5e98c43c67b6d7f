import { type BusNames, isCommandType, type Lane, LANE_OF_COMMAND } from '#contracts';
import type { Delivery } from '#rabbitmq';

import { Command } from '../command/command.ts';
import { progressHeaders } from '../command/copy-of.ts';
import { factsOf, waitedMs } from '../command/facts.ts';
import { brokenEnvelope, type EnvelopeRules, openEnvelope } from '../envelope/open-envelope.ts';
import { SEQUENCE } from '../envelope/own-headers.ts';
import type { CommandTrace, CommandTracer } from '../observer/command-tracer.ts';
import type { MessagingObserver } from '../observer/messaging-observer.ts';
import type { LaneSteps } from './lanes.ts';
import type { Quarantine } from './quarantine.ts';
import { causeOf, codeOf, type Settlement, settlementOf } from '../command/settlement.ts';
import type { Settler } from './settler.ts';

/** What the broker delivers for the fourth time goes into quarantine. */
const QUARANTINED_AFTER_REDELIVERIES = 3;

export interface PipelineOptions {
  readonly names: BusNames;
  readonly rules: EnvelopeRules;
  readonly lanes: Readonly<Record<Lane, LaneSteps>>;
  readonly quarantine: Quarantine;
  readonly settler: Settler;
  readonly observer: MessagingObserver;
  readonly tracer: CommandTracer | undefined;
}

/** One command from its delivery to its acknowledgement: opened, settled by the steps of its lane, and that carried out. */
export class Pipeline {
  readonly #options: PipelineOptions;
  readonly #startTrace: ((command: Command) => CommandTrace) | undefined;
  /** In the order of their receipt. */
  readonly #inFlight = new Set<Command>();

  constructor(options: PipelineOptions) {
    this.#options = options;
    const { tracer } = options;
    this.#startTrace = tracer && ((command) => startTrace(tracer, command));
  }

  /** The receipt of the oldest command of a lane in flight, epoch milliseconds; `undefined` if there is none. */
  oldestMs(lane: Lane): number | undefined {
    for (const command of this.#inFlight) if (command.lane === lane) return command.receivedAtMs;
    return undefined;
  }

  /** Never rejects: what cannot be settled now goes back to the broker. */
  async process(delivery: Delivery): Promise<void> {
    const { settler, observer, rules, lanes } = this.#options;
    let command: Command | undefined;
    try {
      command = this.#open(delivery);
      this.#inFlight.add(command);
      observer.commandTaken(command.lane, delivery.message.fields.redelivered, waitedMs(command));
      let settlement: Settlement;
      try {
        const moved = this.#place(command);
        settlement =
          (moved instanceof Promise ? await moved : moved) ?? (await lanes[command.lane].settle(command));
      } catch (thrown) {
        settlement = settlementOf(command, thrown, rules.nowMs());
      }
      const end = await settler.settle(command, settlement);
      command.end(end);
      command.trace?.end({
        settlement: end.kind,
        code: codeOf(end),
        cause: causeOf(end),
        attempts: command.attempts,
      });
      observer.commandReleased(command.lane);
    } catch {
      // Nothing above is expected to throw; whatever does costs this delivery, and not the process.
      delivery.requeue();
    } finally {
      if (command) this.#inFlight.delete(command);
    }
  }

  #open(delivery: Delivery): Command {
    const { rules } = this.#options;
    const envelope = this.#read(delivery);
    const lane = isCommandType(envelope.type) ? LANE_OF_COMMAND[envelope.type] : 'interactive';
    return new Command(delivery, envelope, lane, rules.nowMs, this.#startTrace);
  }

  #read({ message, bodyBytes }: Delivery) {
    const { rules } = this.#options;
    try {
      return openEnvelope(message, rules, bodyBytes);
    } catch (thrown) {
      return brokenEnvelope(message, rules, thrown);
    }
  }

  /** Moves a command that was found in the wrong lane, or that may have killed a worker; `undefined` if it runs here and now. */
  #place(command: Command): Settlement | undefined | Promise<Settlement | undefined> {
    const { names, quarantine } = this.#options;
    const { delivery, envelope, lane } = command;
    // Nothing is done for it but to answer, and a copy would not show what is wrong with it.
    if (envelope.fault || envelope.violations.length > 0) return undefined;
    if (delivery.queue === names.quarantine) return quarantine.admit(command);
    // At a first delivery the broker's count may be forged by the publisher: the broker sets it from the second on.
    const isSuspect =
      delivery.message.fields.redelivered && delivery.redeliveries >= QUARANTINED_AFTER_REDELIVERIES;
    if (isSuspect) return moveTo(names.quarantine, command);
    // A copy has no priority: what a caller has the broker prefer goes behind those that had waited.
    const staysHere = delivery.queue === names.lanes[lane] && !delivery.isPreferred;
    return staysHere || !isCommandType(envelope.type) ? undefined : moveTo(names.lanes[lane], command);
  }
}

/** The replies of a command that was postponed or redriven are numbered on wherever it goes. */
function moveTo(queue: string, command: Command): Settlement {
  const isNumbered = command.envelope.own[SEQUENCE] !== undefined;
  return { kind: 'move', copy: { queue, headers: isNumbered ? progressHeaders(command) : {} } };
}

function startTrace(tracer: CommandTracer, command: Command): CommandTrace {
  const { delivery, envelope, receivedAtMs } = command;
  return tracer.start(factsOf(command, receivedAtMs), {
    queue: delivery.queue,
    bodyBytes: delivery.bodyBytes,
    traceparent: envelope.traceparent,
  });
}
