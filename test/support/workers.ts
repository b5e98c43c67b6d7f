import type { WorkerProcess } from '../../scripts/processes/worker-process.ts';
import { until } from './until.ts';

/** Workers in processes of their own, each replaced when it ends, as an orchestrator does. */
export class Workers implements AsyncDisposable {
  /** Workers that run or start, by their numbers. */
  readonly programs: WorkerProcess[] = [];
  readonly #start: (number: number) => WorkerProcess;
  readonly #onCrash: (number: number, output: string) => void;
  readonly #asked = new WeakSet<WorkerProcess>();
  #isStopped = false;

  /**
   * @param start is given the number of the worker, from 0
   * @param onCrash called if one ends that `end` was not called for
   */
  constructor(
    count: number,
    start: (number: number) => WorkerProcess,
    onCrash: (number: number, output: string) => void = () => undefined,
  ) {
    this.#start = start;
    this.#onCrash = onCrash;
    for (let number = 0; number < count; number += 1) void this.#keep(number);
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

  /** Replaces none from now on. */
  stop(): void {
    this.#isStopped = true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.stop();
    await Promise.all(this.programs.map((program) => program[Symbol.asyncDispose]()));
  }

  async #keep(number: number): Promise<void> {
    while (!this.#isStopped) {
      const program = (this.programs[number] = this.#start(number));
      await program.exited;
      if (this.#isStopped) return;
      if (!this.#asked.has(program)) this.#onCrash(number, program.stderr);
      void program[Symbol.asyncDispose]();
    }
  }
}
