import type { OperationReport } from './calls/operation-calls.ts';
import { PlatformClient, type PlatformClientOptions } from './platform-client.ts';
import type { OperatorCredentials, PlatformLimits } from './platform-settings.ts';

/** The clients of all configured operators, by name; a provider of an application. */
export class PlatformClients {
  /**
   * Includes operators that are no longer configured: their in-flight calls still finish, and they may be
   * configured again.
   */
  readonly #clients = new Map<string, PlatformClient>();
  #configured: ReadonlySet<string> = new Set();
  readonly limits: PlatformLimits;

  constructor(
    operators: readonly OperatorCredentials[],
    private readonly options: PlatformClientOptions,
  ) {
    this.limits = options.limits;
    this.use(operators);
  }

  readonly get = (operator: string): PlatformClient | undefined =>
    this.#configured.has(operator) ? this.#clients.get(operator) : undefined;

  /** Replaces the operators and their credentials for all calls that start from now on. */
  use(operators: readonly OperatorCredentials[]): void {
    for (const credentials of operators) {
      const client = this.#clients.get(credentials.name);
      if (client) client.use(credentials);
      else this.#clients.set(credentials.name, new PlatformClient(credentials, this.options));
    }
    this.#configured = new Set(operators.map(({ name }) => name));
  }

  operators(): readonly string[] {
    return [...this.#configured];
  }

  /** Returns a report for each operation that the configured operators have used. */
  operations(): readonly OperationReport[] {
    return this.operators().flatMap((operator) => this.get(operator)?.operations() ?? []);
  }

  /**
   * Closes all clients. Nest calls this after the transports are closed, because in-flight commands may call
   * the platform until then.
   */
  async onApplicationShutdown(): Promise<void> {
    await Promise.all([...this.#clients.values()].map((client) => client.close()));
  }
}
