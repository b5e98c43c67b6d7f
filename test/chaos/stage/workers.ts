import type { WorkerProcess } from '../../../scripts/processes/worker-process.ts';
import { Supervisor } from '../../support/supervisor.ts';
import { until } from '../../support/until.ts';

export interface WorkersOptions {
  readonly count: number;
  /** @param number of the worker, from 0; the platform knows it by that */
  readonly start: (number: number) => WorkerProcess;
  readonly onCrash: (number: number, output: string) => void;
  /** Called with each that has ended, before it is replaced. */
  readonly onEnd: (program: WorkerProcess) => void;
}

/** Workers in processes of their own, each replaced when it ends, as an orchestrator does. */
export class Workers implements AsyncDisposable {
  /** Ends that nobody had asked for. */
  crashes = 0;
  readonly #supervisors: readonly Supervisor[];
  readonly #asked = new WeakSet<WorkerProcess>();

  constructor({ count, start, onCrash, onEnd }: WorkersOptions) {
    const supervise = (_: unknown, number: number): Supervisor =>
      new Supervisor(
        () => start(number),
        (program) => {
          onEnd(program);
          if (!this.#asked.has(program)) {
            this.crashes += 1;
            onCrash(number, program.stderr);
          }
          void program[Symbol.asyncDispose]();
        },
      );
    this.#supervisors = Array.from({ length: count }, supervise);
  }

  get programs(): readonly WorkerProcess[] {
    return this.#supervisors.map(({ worker }) => worker);
  }

  /** Waits until they take commands. */
  async areReady(): Promise<void> {
    await Promise.all(this.programs.map((program) => program.ready()));
  }

  /** Ends one as a signal does, and waits until it has ended and another one has begun in its place. */
  async end(number: number, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const program = this.programs[number];
    if (program === undefined) throw new Error(`there is no worker ${number}`);
    this.#asked.add(program);
    program.kill(signal);
    await until('another worker has begun', () => this.programs[number] !== program);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const supervisor of this.#supervisors) supervisor.stop();
    await Promise.all(this.programs.map((program) => program[Symbol.asyncDispose]()));
  }
}
