import type { WorkerProcess } from '../../../scripts/processes/worker-process.ts';
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
  readonly programs: WorkerProcess[] = [];
  readonly #options: WorkersOptions;
  readonly #asked = new WeakSet<WorkerProcess>();
  #isStopped = false;

  private constructor(options: WorkersOptions) {
    this.#options = options;
  }

  static async start(options: WorkersOptions): Promise<Workers> {
    const workers = new Workers(options);
    for (let number = 0; number < options.count; number += 1) workers.#run(number);
    await workers.areReady();
    return workers;
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
    this.#isStopped = true;
    await Promise.all(this.programs.map((program) => program[Symbol.asyncDispose]()));
  }

  #run(number: number): void {
    const program = this.#options.start(number);
    this.programs[number] = program;
    program.child.once('exit', () => {
      if (this.#isStopped) return;
      this.#options.onEnd(program);
      if (!this.#asked.has(program)) {
        this.crashes += 1;
        this.#options.onCrash(number, program.stderr);
      }
      void program[Symbol.asyncDispose]();
      this.#run(number);
    });
  }
}
