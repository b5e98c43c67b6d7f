import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { freePorts } from '../../scripts/network.ts';
import { root } from '../../scripts/root.ts';
import { variables } from '../deploy/compose-file.ts';
import type { TemporaryFolder } from '../support/temporary-folder.ts';

const PROJECT = 'poker-bridge-test';
const PORTS = Object.keys(variables).filter((name) => name.endsWith('_PORT'));

/** The services of docker-compose.yml in a project of their own, on free ports. */
export class ComposeStack implements AsyncDisposable {
  readonly #environment: Readonly<Record<string, string | undefined>>;

  private constructor(environment: Readonly<Record<string, string>>) {
    this.#environment = { ...process.env, COMPOSE_PROJECT_NAME: PROJECT, ...environment };
  }

  static async create(): Promise<ComposeStack> {
    const ports = await freePorts(PORTS.length);
    return new ComposeStack(Object.fromEntries(PORTS.map((name, index) => [name, String(ports[index])])));
  }

  /** An address of this machine at which a service is published. */
  port(variable: 'RABBITMQ_PORT' | 'PROMETHEUS_PORT'): string {
    return `127.0.0.1:${this.#environment[variable]}`;
  }

  /**
   * Starts two workers and all other services, and waits until they are healthy. @throws Error if they are
   * not
   */
  async up(environment: Readonly<Record<string, string>> = {}): Promise<void> {
    await this.#docker(['compose', 'up', '--detach', '--wait', '--scale', 'worker=2'], environment);
  }

  async build(): Promise<void> {
    await this.#docker(['compose', 'build', '--quiet']);
  }

  /**
   * Runs a program in the first container of a service. @returns its output. @throws Error if its exit code
   * is not 0
   */
  exec(service: string, ...command: readonly string[]): Promise<string> {
    return this.#docker(['compose', 'exec', '--no-tty', service, ...command]);
  }

  /** Stops or kills one container. @returns the exit code of the container */
  async end(how: 'stop' | 'kill', service: string, index = 1): Promise<number> {
    const name = `${PROJECT}-${service}-${index}`;
    await this.#docker([how, name]);
    return Number(await this.#docker(['wait', name]));
  }

  /** The names of containers, volumes and networks of the project that still exist. */
  async leftovers(): Promise<readonly string[]> {
    const own = ['--quiet', '--filter', `label=com.docker.compose.project=${PROJECT}`];
    const kinds = [
      ['ps', '--all'],
      ['volume', 'ls'],
      ['network', 'ls'],
    ];
    const names = await Promise.all(kinds.map((kind) => this.#docker([...kind, ...own])));
    return names.flatMap((text) => text.split('\n')).filter((name) => name !== '');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#docker(['compose', '--profile', 'alerts', 'down', '--volumes']);
  }

  async #docker(
    args: readonly string[],
    environment: Readonly<Record<string, string>> = {},
  ): Promise<string> {
    const { stdout } = await promisify(execFile)('docker', args, {
      cwd: root,
      env: { ...this.#environment, ...environment },
      maxBuffer: 16 * 1024 * 1024,
    });
    return stdout.trim();
  }
}

/** Writes the files of RABBITMQ_SECRETS with passwords that differ from those of the repository. */
export function writePasswords(folder: TemporaryFolder): string {
  for (const name of ['admin', 'caller', 'demo']) folder.write(`rabbitmq-${name}`, `another-${name}\n`);
  folder.write('rabbitmq-worker', 'amqp://worker:another-worker@rabbitmq:5672/\n');
  return folder.path;
}
