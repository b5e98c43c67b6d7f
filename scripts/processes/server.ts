import { isListening } from '../network.ts';
import type { Program } from './program.ts';

const BOOT_TIMEOUT_MS = 90_000;

/**
 * A server of our own on a loopback port, which can be killed and started again. It ends with this process,
 * whichever way that ends.
 */
export class Server implements AsyncDisposable {
  readonly port: number;
  readonly #run: () => Program;
  #program: Program | undefined;

  /** @param run begins its process, each time that it is started */
  constructor(port: number, run: () => Program) {
    this.port = port;
    this.#run = run;
  }

  /** Settles when the process that runs now has ended, whether or not on purpose. */
  get ended(): Promise<unknown> {
    return this.#program?.exited ?? Promise.resolve();
  }

  /** Sends a signal to it. After SIGSTOP it still accepts connections and answers nothing, until SIGCONT. */
  signal(signal: NodeJS.Signals): void {
    this.#program?.kill(signal);
  }

  /** Kills it without a shutdown, like a power failure. */
  async kill(): Promise<void> {
    await this.#program?.[Symbol.asyncDispose]();
  }

  /**
   * Starts it, or kills it and starts it again on its port, and waits until it takes connections.
   *
   * @throws {Error} with the end of its log, if it ends before that
   */
  async restart(): Promise<this> {
    await this.kill();
    this.#program = this.#run();
    try {
      await this.#program.until('take connections', () => isListening(this.port), BOOT_TIMEOUT_MS);
    } catch (error) {
      await this[Symbol.asyncDispose]();
      throw error;
    }
    return this;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.kill();
  }
}
