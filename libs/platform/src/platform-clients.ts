import type { OperationReport } from './calls/operation-calls.ts';
import { PlatformClient, type PlatformClientOptions } from './platform-client.ts';
import type { OperatorCredentials, PlatformLimits } from './platform-settings.ts';

/** The clients of all configured operators, by name; a provider of an application. */
export class PlatformClients {
  /** Also those of operators that are no longer configured: their calls under way end, and they may come back. */
  readonly #clients = new Map<string, PlatformClient>();
  #configured: ReadonlySet<string> = new Set();
  /** Of the calls for each operator. */
  readonly limits: PlatformLimits;

  constructor(
    operators: readonly OperatorCredentials[],
    private readonly options: PlatformClientOptions,
  ) {
    this.limits = options.limits;
    this.use(operators);
  }

  get(operator: string): PlatformClient | undefined {
    return this.#configured.has(operator) ? this.#clients.get(operator) : undefined;
  }

  /** Serves these operators, with these credentials, in calls that begin from now on. */
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

  /** Each operation that has been used, of the configured operators. */
  operations(): readonly OperationReport[] {
    return this.operators().flatMap((operator) => this.get(operator)?.operations() ?? []);
  }

  /** Closes all clients. Nest calls it once it has closed the transports: until then, commands in flight may call the platform. */
  async onApplicationShutdown(): Promise<void> {
    await Promise.all([...this.#clients.values()].map((client) => client.close()));
  }
}
