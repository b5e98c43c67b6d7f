import type { Exit } from '../../scripts/processes/program.ts';
import { WorkerProcess } from '../../scripts/processes/worker-process.ts';

/** The details of `GET /health`. */
interface WorkerHealth {
  readonly bus: {
    readonly status: string;
    readonly lastError?: string;
    readonly lanes: Readonly<Record<string, { readonly state: string; readonly inFlight: number }>>;
  };
  readonly compartments: {
    compartments: readonly { readonly operation: string; readonly inFlight: number }[];
  };
  readonly circuits: {
    status: string;
    reason?: string;
    circuits: readonly Record<'operator' | 'operation' | 'state', string>[];
  };
}

/** A worker whose health, metrics and exit a test inspects. */
export class WorkerUnderTest extends WorkerProcess {
  async get(path: string): Promise<{ status: number; body: string }> {
    // The worker may close a keep-alive connection while the next request is on its way.
    const init = { headers: { connection: 'close' } };
    const response = await fetch(`${await this.url()}${path}`, init).catch((error: unknown) => {
      throw new Error(`the worker does not answer ${path}:\n${this.stdout.slice(-2_000)}`, { cause: error });
    });
    return { status: response.status, body: await response.text() };
  }

  /** Returns the complete state, as people on call see it, with the HTTP status. */
  async health() {
    const { status, body } = await this.get('/health');
    return { status, ...(JSON.parse(body) as { details: WorkerHealth }).details };
  }

  /** Returns the sum of a metric over all series whose labels contain `label`. */
  async metric(name: string, label = ''): Promise<number> {
    const { body } = await this.get('/metrics');
    const series = body
      .split('\n')
      .filter((line) => /^[^{ ]+/.exec(line)?.[0] === name && line.includes(label));
    return series.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
  }

  /** Resolves with the exit of the process. @throws {Error} if it still runs after `timeoutMs` */
  async ended(timeoutMs?: number): Promise<Exit> {
    await this.until('end', () => this.hasEnded, timeoutMs);
    return this.exited;
  }
}
