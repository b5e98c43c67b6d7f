import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { temporaryFolder } from '../../support/temporary-folder.ts';
import type { SandboxedService } from '../commands/sandboxed-service.ts';
import { type CliRun, runCli } from './run-cli.ts';

/** Fetches reports of a sandboxed service into a temporary folder with the command line. */
export class ReportFolder implements Disposable {
  readonly #folder = temporaryFolder();
  readonly write = this.#folder.write;
  readonly variables: Record<string, string>;

  constructor({ service }: SandboxedService) {
    this.variables = { AMQP_URL: service.url, AMQP_PREFIX: service.prefix };
  }

  /** @param file in the folder, or `-` */
  argsOf(line: string, file: string): string[] {
    return ['report', ...line.split(' '), '--out', file === '-' ? file : this.pathOf(file)];
  }

  fetch(line: string, file: string, ...more: readonly string[]): Promise<CliRun> {
    return runCli([...this.argsOf(line, file), ...more], { variables: this.variables });
  }

  pathOf(file: string): string {
    return join(this.#folder.path, file);
  }

  /** Reads a file as Latin-1, so that each byte is a character. */
  content(file: string): Promise<string> {
    return readFile(this.pathOf(file), 'latin1');
  }

  async files(): Promise<string[]> {
    return (await readdir(this.#folder.path)).toSorted();
  }

  [Symbol.dispose](): void {
    this.#folder[Symbol.dispose]();
  }
}
