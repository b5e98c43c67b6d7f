import type { Program } from '../../support/worker-process.ts';
import { until } from '../../support/until.ts';

/** A worker and its number, from 0; the platform knows it by that. */
export interface Member {
  readonly number: number;
  readonly program: Program;
}

export interface WorkersOptions {
  readonly count: number;
  readonly start: (number: number) => Program;
  /** Waits until so many workers take commands. */
  readonly areReady: (members: readonly Member[]) => Promise<void>;
  readonly onCrash: (number: number, output: string) => void;
  /** Called with each that has ended, before it is replaced. */
  readonly onEnd: (program: Program) => void;
}

/** Workers in processes of their own, each replaced when it ends, as an orchestrator does. */
export class Workers implements AsyncDisposable {
  /** Ends that nobody had asked for. */
  crashes = 0;
  readonly #options: WorkersOptions;
  readonly #members: Program[] = [];
  readonly #asked = new WeakSet<Program>();
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

  get members(): readonly Member[] {
    return this.#members.map((program, number) => ({ number, program }));
  }

  areReady(): Promise<void> {
    return this.#options.areReady(this.members);
  }

  /** Ends one as a signal does, and waits until it has ended and another one has begun in its place. */
  async end(number: number, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const program = this.#members[number];
    if (program === undefined) throw new Error(`there is no worker ${number}`);
    this.#asked.add(program);
    program.kill(signal);
    await until('another worker has begun', () => this.#members[number] !== program);
  }

  signal(number: number, signal: NodeJS.Signals): void {
    this.#members[number]?.kill(signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopped = true;
    for (const program of this.#members) this.#options.onEnd(program);
    await Promise.all(this.#members.map((program) => program[Symbol.asyncDispose]()));
  }

  #run(number: number): void {
    const program = this.#options.start(number);
    this.#members[number] = program;
    program.child.once('exit', () => {
      if (this.#isStopped) return;
      this.#options.onEnd(program);
      if (!this.#asked.has(program)) {
        this.crashes += 1;
        this.#options.onCrash(number, program.stderr);
      }
      this.#run(number);
    });
  }
}
