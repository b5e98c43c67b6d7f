import type { WorkerUnderTest } from './worker-under-test.ts';
import { until } from './until.ts';

export type Workers = ReturnType<typeof keepWorkers>;

/**
 * Runs workers in processes of their own, and replaces each one that ends, as an orchestrator does.
 *
 * @param start receives the number of the worker, from 0
 * @param onCrash called if a worker ends without a call of `end`
 */
export function keepWorkers(
  count: number,
  start: (number: number) => WorkerUnderTest,
  onCrash: (number: number, output: string) => void = () => undefined,
) {
  /** Running or starting workers, by number. */
  const programs: WorkerUnderTest[] = [];
  const asked = new WeakSet<WorkerUnderTest>();
  let isStopped = false;
  const keep = async (number: number): Promise<void> => {
    while (!isStopped) {
      const program = (programs[number] = start(number));
      await program.exited;
      if (isStopped) return;
      if (!asked.has(program)) onCrash(number, program.stderr);
      void program[Symbol.asyncDispose]();
    }
  };
  for (let number = 0; number < count; number += 1) void keep(number);
  return {
    programs,

    /** Waits until they consume commands. */
    areReady: async () => void (await Promise.all(programs.map((program) => program.ready()))),

    /** Sends a signal to a worker, and waits until it has ended and its replacement has started. */
    async end(number: number, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
      const program = programs[number];
      if (program === undefined) throw new Error(`there is no worker ${number}`);
      asked.add(program);
      program.kill(signal);
      await until('another worker has begun', () => programs[number] !== program);
    },

    async [Symbol.asyncDispose](): Promise<void> {
      isStopped = true;
      await Promise.all(programs.map((program) => program[Symbol.asyncDispose]()));
    },
  };
}
