import { root } from '../../../scripts/root.ts';
import { WorkerProcess } from '../../../scripts/processes/worker-process.ts';
import { OURS, QUEUES, RETRY_DELAYS_MS, type System } from '../stage/systems.ts';

/** A version of the service with its settings. */
export interface Generation {
  /** The folder of its build. Default: this repository. */
  readonly folder?: string;
  /** Over those that every worker of a stage has. */
  readonly variables?: Readonly<Record<string, string>>;
}

export type GenerationName = 'old' | 'new';

/** Workers of two generations; a row says which one the next worker in a place is of. */
export class Generations {
  readonly #generations: Readonly<Record<GenerationName, Generation>>;
  readonly #places = new Map<number, GenerationName>();

  constructor(generations: Readonly<Record<GenerationName, Generation>>) {
    this.#generations = generations;
  }

  /** Has the next worker with this number be of that generation. */
  place(number: number, name: GenerationName): void {
    this.#places.set(number, name);
  }

  get system(): System {
    const delaysMs = Object.values(this.#generations).flatMap(({ variables = {} }) =>
      (variables['REPORTS_RETRY_DELAYS_MS'] ?? RETRY_DELAYS_MS).split(','),
    );
    const retryQueues = [...new Set(delaysMs)].map((delayMs) => `reports.retry.${delayMs}`);
    return {
      ...OURS,
      queues: (prefix) => [...QUEUES, ...retryQueues].map((queue) => `${prefix}.${queue}`),
      start: (prefix, surroundings) => {
        const { folder = root, variables } =
          this.#generations[this.#places.get(surroundings.number) ?? 'old'];
        return new WorkerProcess({ ...OURS.variables(prefix, surroundings), ...variables }, folder);
      },
    };
  }
}
