import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

import { commandOf, WORKER } from '../../scripts/build/programs.ts';
import { root } from '../../scripts/root.ts';
import { WAIT_TIMEOUT_MS } from './until.ts';

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface ProgramResult extends Exit {
  readonly stdout: string;
  readonly stderr: string;
}

/** A program in a process of its own, whose output is kept. */
export class Program implements AsyncDisposable {
  readonly child;
  readonly exited: Promise<Exit>;
  stdout = '';
  stderr = '';

  /** @param env default: that of this process */
  constructor(command: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env) {
    this.child = spawn(command, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
    this.child.stdout.setEncoding('utf8').on('data', (text: string) => (this.stdout += text));
    this.child.stderr.setEncoding('utf8').on('data', (text: string) => (this.stderr += text));
    this.exited = once(this.child, 'close').then(([code, signal]) => ({ code, signal }));
    // One that cannot even be started is told by those who wait for it.
    this.exited.catch((error: Error) => (this.stderr += error.message));
  }

  /** How it ended and all of its output, once it has ended. */
  get result(): Promise<ProgramResult> {
    return this.exited.then((exit) => ({ ...exit, stdout: this.stdout, stderr: this.stderr }));
  }

  /** Waits for a line of its output, and returns the first group of the pattern. */
  async says(pattern: RegExp): Promise<string> {
    for (;;) {
      const found = pattern.exec(this.stdout)?.[1];
      if (found !== undefined) return found;
      const hasEnded = await Promise.race([
        this.exited.then(() => true),
        once(this.child.stdout, 'data').then(() => false),
      ]);
      if (hasEnded) throw new Error(`it has ended:\n${this.stdout}${this.stderr}`);
    }
  }

  kill(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.child.kill('SIGKILL');
    await this.exited.catch(() => undefined);
  }
}

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
  readonly #folder: string;

  /**
   * @param folder of a repository that is built. Default: this one
   * @param launcher the command that becomes the worker's process, which follows it
   */
  constructor(variables: Readonly<Record<string, string>>, folder = root, launcher: readonly string[] = []) {
    const all = { HTTP_PORT: '0', PLATFORM_CLIENT_ID: 'sandbox', ...variables };
    const command = commandOf(WORKER, all, folder);
    const [program = '', ...args] = [...launcher, process.execPath, ...command.args];
    super(program, args, { PATH: process.env['PATH'], ...command.variables });
    this.#folder = folder;
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
    // One that has ended refuses the connection; then it is told how it ended.
    const isReady = () =>
      fetch(`${url}/health/ready`).then(
        ({ ok }) => ok,
        () => false,
      );
    await this.#until(async () => (await isReady()) || undefined, 'is ready');
    return this;
  }

  async get(path: string): Promise<{ status: number; body: string }> {
    const response = await fetch(`${await this.url()}${path}`).catch((error: Error) => {
      throw new Error(`the worker of ${this.#folder} does not answer ${path}:\n${this.#said()}`, {
        cause: error,
      });
    });
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
      timer = setTimeout(() => reject(new Error(`the worker still runs:\n${this.#said()}`)), timeoutMs);
    });
    return Promise.race([this.exited, late]).finally(() => clearTimeout(timer));
  }

  async #until<T>(look: () => T | undefined | Promise<T | undefined>, what: string): Promise<T> {
    const untilMs = Date.now() + WAIT_TIMEOUT_MS;
    const hasEnded = (): boolean => this.child.exitCode !== null || this.child.signalCode !== null;
    while (Date.now() < untilMs && !hasEnded()) {
      const found = await look();
      if (found !== undefined) return found;
      await sleep(20);
    }
    const why = hasEnded()
      ? `the worker of ${this.#folder} ended (${this.child.exitCode ?? this.child.signalCode}) before it`
      : `waited in vain until the worker of ${this.#folder}`;
    throw new Error(`${why} ${what}:\n${this.#said()}`);
  }

  #said(): string {
    return `${this.stderr}\n${this.stdout.slice(-2_000)}`;
  }
}

/** Restarts a worker whenever it ends, as an orchestrator does. */
export class Supervisor {
  /** The one that is running or starting. */
  worker: WorkerProcess;
  deaths = 0;
  readonly #start: () => WorkerProcess;
  #isStopped = false;

  constructor(start: () => WorkerProcess) {
    this.#start = start;
    this.worker = this.#next();
  }

  /** Stops restarting. */
  stop(): void {
    this.#isStopped = true;
  }

  #next(): WorkerProcess {
    const worker = this.#start();
    void this.#replace(worker);
    return worker;
  }

  async #replace(worker: WorkerProcess): Promise<void> {
    await worker.exited;
    if (this.#isStopped) return;
    this.deaths += 1;
    this.worker = this.#next();
  }
}
