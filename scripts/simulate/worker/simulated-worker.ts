import { CommandError, type ErrorCode, type Lane, LANES } from '#contracts';
import { type Delivery, laneWindow, nextDelayMs, QueueConsumer } from '#messaging';
import { type Exchange, PlatformClients } from '#platform';
import { Deadline, DeadlineExceeded, type Random, type Window } from '#resilience';
import { readOperators, type Settings } from '#settings';

import { isLaneServed, lanePauseMs } from '../../../apps/worker/src/lane-pause.ts';
import { platformLimitsOf } from '../../../apps/worker/src/settings/platform-limits.ts';
import type { SimulatedBroker, SimulatedCommand } from '../broker/simulated-broker.ts';
import { commandOf, simulatedConnection } from '../broker/simulated-connection.ts';
import type { WorkersModel } from '../scenario/scenario.ts';
import { runCommand } from './run-command.ts';
import { Processor, waitMs } from './processor.ts';

/** A code of the contract, or `success`. */
export type Outcome = ErrorCode | 'success';

export interface SimulatedWorkerOptions {
  readonly settings: Settings;
  readonly model: WorkersModel;
  readonly broker: SimulatedBroker;
  readonly exchange: Exchange;
  readonly random: Random;
  /** A command was answered; nothing more comes of it. */
  readonly onAnswered: (command: SimulatedCommand, outcome: Outcome) => void;
}

const OPERATOR = 'default';

/** Of a command that is answered with a failure, or goes to a retry queue. */
interface Failure {
  readonly code: ErrorCode;
  readonly isUnavailable: boolean;
  readonly retryAfterMs: number | undefined;
}

/**
 * A worker in simulated time: its consumers, its window, its calls to the platform with their admission, retries and
 * circuits, and its pauses are the real ones. Processor time and confirms are durations of the model.
 */
export class SimulatedWorker {
  readonly #options: SimulatedWorkerOptions;
  readonly #clients: PlatformClients;
  readonly #window: Window;
  readonly #processor = new Processor();
  readonly #consumers: ReadonlyMap<Lane, QueueConsumer>;

  constructor(options: SimulatedWorkerOptions) {
    this.#options = options;
    const { settings, exchange, random } = options;
    this.#clients = new PlatformClients(readOperators(settings), {
      limits: platformLimitsOf(settings),
      exchange,
      random,
      clock: Date.now,
    });
    this.#window = laneWindow(settings.INTERACTIVE_PREFETCH, settings.INTERACTIVE_DEADLINE_MS, Date.now);
    const prefetch = { interactive: settings.INTERACTIVE_PREFETCH, reports: settings.REPORTS_PREFETCH };
    this.#consumers = new Map(LANES.map((lane) => [lane, this.#consumerOf(lane, prefetch[lane])]));
  }

  /** Circuits that are not closed. */
  get openCircuits(): number {
    return this.#clients.circuits().filter(({ state }) => state !== 'closed').length;
  }

  start(): void {
    for (const [lane, consumer] of this.#consumers) {
      void consumer.attach(simulatedConnection(this.#options.broker.queues[lane]));
    }
  }

  /** Takes nothing more, and ends what is in flight, or returns it when the grace period is over. */
  async stop(): Promise<void> {
    const graceMs = this.#options.settings.SHUTDOWN_GRACE_MS;
    await Promise.all([...this.#consumers.values()].map((consumer) => consumer.drain(graceMs)));
    await this.#clients.close();
  }

  #consumerOf(lane: Lane, prefetch: number): QueueConsumer {
    return new QueueConsumer({
      queue: lane,
      prefetch,
      maxBodyBytes: Infinity,
      isServed: () => isLaneServed(lane, this.#clients.circuits(), Date.now()),
      handle: (delivery) => this.#process(delivery),
      onLost: (reason) => {
        throw new Error(`a simulated consumer was lost: ${reason}`);
      },
    });
  }

  /** As the worker's pipeline does it: within its share, its deadline and its retries, to one settlement. */
  async #process(delivery: Delivery): Promise<void> {
    const { broker, model } = this.#options;
    const command = broker.find(commandOf(delivery.message));
    const receivedAtMs = Date.now();
    await this.#processor.use(model.cpuMs);
    const holding =
      command.lane === 'interactive' ? this.#window.enter(`${command.type} ${OPERATOR}`) : undefined;
    const failure =
      command.lane === 'interactive' && !holding
        ? failureOf(new CommandError('OVERLOADED'))
        : await this.#run(command);
    await waitMs(model.confirmMs);
    this.#settle(command, failure, delivery);
    if (holding) this.#window.leave(holding, receivedAtMs);
  }

  /** @returns `undefined` if it succeeds */
  async #run(command: SimulatedCommand): Promise<Failure | undefined> {
    const deadline = new Deadline(command.deadlineAtMs);
    const client = this.#clients.get(OPERATOR);
    if (!client) throw new Error('the simulated operator has no client');
    const onPage = (): Promise<void> => {
      this.#consumers.get(command.lane)?.widenIfServed();
      return waitMs(this.#options.model.confirmMs);
    };
    try {
      if (deadline.expired) throw new DeadlineExceeded();
      const { REPORTS_PER_PAGE: perPage } = this.#options.settings;
      await deadline.race(runCommand(command, client, { deadline, attempts: 0 }, { perPage, onPage }));
      return undefined;
    } catch (error) {
      return failureOf(error);
    }
  }

  #settle(command: SimulatedCommand, failure: Failure | undefined, delivery: Delivery): void {
    // Its grace period was over, and another worker has it.
    if (!delivery.isAlive) return;
    const { broker, settings, onAnswered } = this.#options;
    delivery.acknowledge();
    const delayMs =
      failure?.isUnavailable && command.lane === 'reports'
        ? nextDelayMs({
            delaysMs: settings.REPORTS_RETRY_DELAYS_MS,
            postponed: command.postponed,
            retryAfterMs: failure.retryAfterMs,
            remainingMs: command.deadlineAtMs - Date.now(),
          })
        : undefined;
    if (delayMs === undefined) {
      broker.answered(command);
      onAnswered(command, failure?.code ?? 'success');
    } else {
      command.postponed += 1;
      broker.postpone(command, delayMs);
      this.#pause(command.lane);
    }
  }

  #pause(lane: Lane): void {
    const durationMs = lanePauseMs(lane, this.#clients.circuits(), Date.now());
    if (durationMs !== undefined) void this.#consumers.get(lane)?.pause(durationMs);
  }
}

/** @throws what is no failure of a command: a fault of the simulation */
function failureOf(thrown: unknown): Failure {
  const error = thrown instanceof DeadlineExceeded ? new CommandError('COMMAND_EXPIRED') : thrown;
  if (!(error instanceof CommandError)) throw error;
  if (error.category === 'internal' || error.code === 'PLATFORM_PROTOCOL_ERROR') throw error;
  return {
    code: error.code,
    isUnavailable: error.category === 'unavailable',
    retryAfterMs: error.retryAfterMs,
  };
}
