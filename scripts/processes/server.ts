import { isListening } from '../network.ts';
import type { Program } from './program.ts';

const BOOT_TIMEOUT_MS = 90_000;

/**
 * A private server on a loopback port, which can be killed and restarted. It ends with this process, even if
 * that is killed.
 */
export class Server implements AsyncDisposable {
  readonly port: number;
  readonly #run: () => Program;
  #program: Program | undefined;

  /** @param run starts its process, each time that the server is started */
  constructor(port: number, run: () => Program) {
    this.port = port;
    this.#run = run;
  }

  /** Settles when the current process has ended, intentionally or not. */
  get ended(): Promise<unknown> {
    return this.#program?.exited ?? Promise.resolve();
  }

  /** Sends a signal to it. After SIGSTOP, it accepts connections but does not answer until SIGCONT. */
  signal(signal: NodeJS.Signals): void {
    this.#program?.kill(signal);
  }

  /** Kills it without a shutdown, like a power failure. */
  async kill(): Promise<void> {
    await this.#program?.[Symbol.asyncDispose]();
  }

  /**
   * Starts it, or kills and restarts it on its port, and waits until it accepts connections.
   *
   * @throws {Error} with the end of its log, if it ends earlier
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
