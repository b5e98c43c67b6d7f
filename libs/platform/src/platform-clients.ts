import { type CallsReport, PlatformClient, type CircuitReport } from './platform-client.ts';
import type { PlatformObserver } from './platform-observer.ts';
import type { OperatorCredentials, PlatformLimits } from './platform-settings.ts';

/** The clients of all configured operators, by name. */
export class PlatformClients {
  readonly #clients: ReadonlyMap<string, PlatformClient>;

  constructor(
    operators: readonly OperatorCredentials[],
    limits: PlatformLimits,
    observer?: PlatformObserver,
  ) {
    this.#clients = new Map(
      operators.map((credentials) => [credentials.name, new PlatformClient(credentials, limits, observer)]),
    );
  }

  get(operator: string): PlatformClient | undefined {
    return this.#clients.get(operator);
  }

  /** Every circuit that has been used. */
  circuits(): readonly CircuitReport[] {
    return [...this.#clients.values()].flatMap((client) => client.circuits());
  }

  /** Of every operation that has been used. */
  calls(): readonly CallsReport[] {
    return [...this.#clients.values()].flatMap((client) => client.calls());
  }

  async close(): Promise<void> {
    await Promise.all([...this.#clients.values()].map((client) => client.close()));
  }
}
