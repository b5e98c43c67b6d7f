import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';

/** A process for each processor that uses all it can get, until it is disposed of. */
export class ProcessorLoad implements AsyncDisposable {
  readonly #processes: readonly ChildProcess[] = Array.from({ length: availableParallelism() }, () =>
    spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }),
  );

  async [Symbol.asyncDispose](): Promise<void> {
    for (const each of this.#processes) {
      if (each.signalCode !== null) continue;
      const ended = once(each, 'exit');
      each.kill('SIGKILL');
      await ended;
    }
  }
}
