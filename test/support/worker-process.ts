import { setTimeout as sleep } from 'node:timers/promises';

import { WORKER_FLAGS } from '../../scripts/build/node-flags.ts';
import { type Exit, Program } from './program.ts';
import { WAIT_TIMEOUT_MS } from './until.ts';

/** The body of `GET /health`. */
export interface WorkerHealth {
  /** Of HTTP. */
  readonly status: number;
  readonly bus: {
    readonly status: string;
    readonly lastError?: string;
    readonly lanes: Readonly<Record<string, { readonly state: string; readonly inFlight: number }>>;
  };
  readonly compartments: {
    readonly compartments: readonly { readonly operation: string; readonly inFlight: number }[];
  };
  readonly circuits: {
    readonly status: string;
    readonly circuits: readonly {
      readonly operator: string;
      readonly operation: string;
      readonly state: string;
    }[];
  };
}

/** A worker in a process of its own, from built code, with the given environment and nothing else of its own. */
export class WorkerProcess extends Program {
  constructor(variables: Readonly<Record<string, string>>) {
    super(process.execPath, [...WORKER_FLAGS, 'dist/apps/worker/src/main.js'], {
      PATH: process.env['PATH'],
      HTTP_PORT: '0',
      PLATFORM_CLIENT_ID: 'sandbox',
      ...variables,
    });
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** Every line of the log so far. */
  get log(): readonly Record<string, unknown>[] {
    const lines = this.stdout.split('\n').slice(0, -1);
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  /** Where health and metrics are, once the worker listens. */
  async url(): Promise<string> {
    const started = await this.#until(() => this.log.find(({ msg }) => msg === 'worker started'), 'starts');
    return `http://127.0.0.1:${String(started['port'])}`;
  }

  /** Waits until commands are consumed. */
  async ready(): Promise<this> {
    const url = await this.url();
    await this.#until(async () => ((await fetch(`${url}/health/ready`)).ok ? true : undefined), 'is ready');
    return this;
  }

  async get(path: string): Promise<{ status: number; body: string }> {
    const response = await fetch(`${await this.url()}${path}`);
    return { status: response.status, body: await response.text() };
  }

  /** The complete state, as people on call see it. */
  async health(): Promise<WorkerHealth> {
    const { status, body } = await this.get('/health');
    const { details } = JSON.parse(body) as { details: Omit<WorkerHealth, 'status'> };
    return { status, ...details };
  }

  /** The sum of a metric over those of its series whose labels hold `label`. */
  async metric(name: string, label = ''): Promise<number> {
    const { body } = await this.get('/metrics');
    const series = body
      .split('\n')
      .filter((line) => /^[^{ ]+/.exec(line)?.[0] === name && line.includes(label));
    return series.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
  }

  /** How it ended, once it has. @throws Error if it still runs after `timeoutMs` */
  async ended(timeoutMs = WAIT_TIMEOUT_MS): Promise<Exit> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(
        () => reject(new Error(`the worker still runs:\n${this.stderr}\n${this.stdout.slice(-2_000)}`)),
        timeoutMs,
      );
    });
    return Promise.race([this.exited, late]).finally(() => clearTimeout(timer));
  }

  async #until<T>(look: () => T | undefined | Promise<T | undefined>, what: string): Promise<T> {
    const untilMs = Date.now() + WAIT_TIMEOUT_MS;
    while (Date.now() < untilMs && this.child.exitCode === null) {
      const found = await look();
      if (found !== undefined) return found;
      await sleep(20);
    }
    throw new Error(`waited in vain until the worker ${what}:\n${this.stderr}\n${this.stdout.slice(-2_000)}`);
  }
}
