import type { ConsumeMessage } from 'amqplib';

import { canariesIn } from './canary.ts';
import type { ServiceUnderTest } from '../../support/service-under-test.ts';
import type { WorkerProcess } from '../../../scripts/processes/worker-process.ts';
import { finalsOf, type Outcome } from './outcome.ts';

/** Searches every output of the worker, except for successful replies, for values that must not be there. */
export class Outputs {
  readonly #worker: WorkerProcess;
  readonly #events: readonly ConsumeMessage[];
  #searchedEvents = 0;
  #searchedLog = 0;

  private constructor(worker: WorkerProcess, events: readonly ConsumeMessage[]) {
    this.#worker = worker;
    this.#events = events;
  }

  static async open(service: ServiceUnderTest, worker: WorkerProcess): Promise<Outputs> {
    return new Outputs(worker, await service.caller.events());
  }

  /** What was found since the last time: in the log, the events, and the outcomes of these commands. */
  search(outcomes: readonly Outcome[]): string[] {
    const { stdout, stderr } = this.#worker;
    // The last line may be incomplete.
    const logEnd = stdout.lastIndexOf('\n') + 1;
    const log = stdout.slice(this.#searchedLog, logEnd);
    const events = this.#events.slice(this.#searchedEvents);
    this.#searchedLog = logEnd;
    this.#searchedEvents += events.length;
    return [
      ...named('stderr', stderr),
      ...named('log', log),
      ...events.flatMap((event) => named('event', wholeOf(event))),
      ...outcomes.flatMap(foundIn),
    ];
  }

  /** What was found in the outputs that show the worker's state. */
  async searchState(): Promise<string[]> {
    const paths = ['/health', '/health/ready', '/metrics'];
    const bodies = await Promise.all(paths.map((path) => this.#worker.get(path)));
    return bodies.flatMap(({ body }, index) => named(paths[index] ?? '', body));
  }
}

function foundIn(outcome: Outcome): string[] {
  const { sent, replies, undelivered, deadLetters } = outcome;
  return [
    ...finalsOf(outcome)
      .filter(isFailure)
      .flatMap((reply) => named('error body', String(reply.content))),
    ...[...replies, ...undelivered].flatMap((reply) =>
      named('reply headers', JSON.stringify(reply.properties)),
    ),
    // Its body is the command unchanged, and so are the properties about its sender.
    ...deadLetters.flatMap((letter) => named('dead letter', writtenByUs(letter, sent.options))),
  ];
}

/** Also in a Nest packet. */
function isFailure({ properties }: ConsumeMessage): boolean {
  return properties.type === 'command.failed';
}

function writtenByUs({ properties }: ConsumeMessage, sent: object): string {
  const theirs = new Set(Object.values(sent));
  const entries = [...Object.entries(properties), ...Object.entries(properties.headers ?? {})];
  return JSON.stringify(entries.filter(([name, value]) => name !== 'headers' && !theirs.has(value)));
}

function wholeOf({ properties, content, fields }: ConsumeMessage): string {
  return `${fields.routingKey} ${JSON.stringify(properties)} ${String(content)}`;
}

function named(where: string, text: string): string[] {
  return canariesIn(text).map((found) => `${where}: ${found}`);
}
