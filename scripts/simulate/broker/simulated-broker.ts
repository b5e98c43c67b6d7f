import { type CommandType, type Lane, LANE_OF_COMMAND, LANES } from '#contracts';

import { SimulatedQueue } from './simulated-queue.ts';

/** So much later than its TTL a message of a retry queue is back: measured with RabbitMQ 3.10. */
const BACK_MS = 30;

/** One command from its arrival to its answer. */
export interface SimulatedCommand {
  readonly number: number;
  readonly type: CommandType;
  readonly lane: Lane;
  readonly sentAtMs: number;
  readonly deadlineAtMs: number;
  /** Times that it went to a retry queue. */
  postponed: number;
  /** Pages of a report so far. */
  progress: Readonly<Record<string, number | boolean>> | undefined;
}

/** The queues of the lanes and the retry queues behind them. */
export class SimulatedBroker {
  readonly queues: Readonly<Record<Lane, SimulatedQueue>> = {
    interactive: new SimulatedQueue(),
    reports: new SimulatedQueue(),
  };
  readonly #budgetMs: Readonly<Record<Lane, number>>;
  /** Those that are not answered. */
  readonly #commands = new Map<number, SimulatedCommand>();
  #sent = 0;
  #waitingForRetry = 0;

  /** @param budgetMs until a command's deadline, by its lane */
  constructor(budgetMs: Readonly<Record<Lane, number>>) {
    this.#budgetMs = budgetMs;
  }

  /** Commands that arrived. */
  get sent(): number {
    return this.#sent;
  }

  /** Commands in retry queues. */
  get waitingForRetry(): number {
    return this.#waitingForRetry;
  }

  /** Commands in the lanes' queues that no worker has taken. */
  get ready(): number {
    return LANES.reduce((sum, lane) => sum + this.queues[lane].ready, 0);
  }

  get unacknowledged(): number {
    return LANES.reduce((sum, lane) => sum + this.queues[lane].unacknowledged, 0);
  }

  send(type: CommandType): void {
    const lane = LANE_OF_COMMAND[type];
    const sentAtMs = Date.now();
    const command: SimulatedCommand = {
      number: (this.#sent += 1),
      type,
      lane,
      sentAtMs,
      deadlineAtMs: sentAtMs + this.#budgetMs[lane],
      postponed: 0,
      progress: undefined,
    };
    this.#commands.set(command.number, command);
    this.queues[lane].push(command.number);
  }

  /** A command that is not answered. @throws Error if there is none of this number */
  find(number: number): SimulatedCommand {
    const command = this.#commands.get(number);
    if (command === undefined) throw new Error(`command ${number} was answered twice`);
    return command;
  }

  postpone(command: SimulatedCommand, delayMs: number): void {
    this.#waitingForRetry += 1;
    setTimeout(() => {
      this.#waitingForRetry -= 1;
      this.queues[command.lane].push(command.number);
    }, delayMs + BACK_MS);
  }

  answered({ number }: SimulatedCommand): void {
    this.#commands.delete(number);
  }
}
