import { startOf, WORKER } from '../build/programs.ts';
import { isAnswered } from '../network.ts';
import { root } from '../root.ts';
import { type Exit, Program } from './program.ts';

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
    circuits: readonly Record<'operator' | 'operation' | 'state', string>[];
  };
}

/** The variables that point a worker to a platform. Default: with the credentials of the sandbox. */
export function platformAt(origin: string, clientId = 'sandbox', secretKey = 'sandbox-secret-key') {
  return {
    PLATFORM_BASE_URL: `${origin}/api/web`,
    PLATFORM_API_URL: origin,
    PLATFORM_CLIENT_ID: clientId,
    PLATFORM_SECRET_KEY: secretKey,
  };
}

/** A worker in a process of its own, from built code, with the given environment and nothing else of its own. */
export class WorkerProcess extends Program {
  /** @param folder of a repository that is built. Default: this one */
  constructor(variables: Readonly<Record<string, string>>, folder = root) {
    super(...startOf(WORKER, { HTTP_PORT: '0', ...variables }, folder));
  }

  /** Every line of the log so far. */
  get log(): readonly Record<string, unknown>[] {
    const lines = this.stdout.split('\n').slice(0, -1);
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  /** Where health and metrics are, once the worker listens. */
  async url(): Promise<string> {
    const port = await this.until(
      'start',
      () => this.log.find(({ msg }) => msg === 'worker started')?.['port'] as number | undefined,
    );
    return `http://127.0.0.1:${port}`;
  }

  /** Waits until commands are consumed. */
  async ready(): Promise<this> {
    const url = await this.url();
    await this.until('become ready', () => isAnswered(`${url}/health/ready`));
    return this;
  }

  async get(path: string): Promise<{ status: number; body: string }> {
    // A connection that is kept may be closed by the worker while the next request is on its way.
    const init = { headers: { connection: 'close' } };
    const response = await fetch(`${await this.url()}${path}`, init).catch((error: unknown) => {
      throw new Error(`the worker does not answer ${path}:\n${this.stdout.slice(-2_000)}`, { cause: error });
    });
    return { status: response.status, body: await response.text() };
  }

  /** The complete state, as people on call see it, with the HTTP status. */
  async health() {
    const { status, body } = await this.get('/health');
    return { status, ...(JSON.parse(body) as { details: WorkerHealth }).details };
  }

  /** The sum of a metric over those of its series whose labels hold `label`. */
  async metric(name: string, label = ''): Promise<number> {
    const { body } = await this.get('/metrics');
    const series = body
      .split('\n')
      .filter((line) => /^[^{ ]+/.exec(line)?.[0] === name && line.includes(label));
    return series.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
  }

  /** How it ended, once it has. @throws {Error} if it still runs after `timeoutMs` */
  async ended(timeoutMs?: number): Promise<Exit> {
    await this.until('end', () => this.hasEnded, timeoutMs);
    return this.exited;
  }
}
