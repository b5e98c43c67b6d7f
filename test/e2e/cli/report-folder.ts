import { mkdtempDisposable, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { SandboxedService } from '../commands/sandboxed-service.ts';
import { type CliRun, runCli } from './run-cli.ts';

/** The command line as it fetches reports of a sandboxed service into a folder. */
export class ReportFolder implements AsyncDisposable {
  readonly #folder: Awaited<ReturnType<typeof mkdtempDisposable>>;
  readonly variables: Record<string, string>;

  private constructor(folder: Awaited<ReturnType<typeof mkdtempDisposable>>, { service }: SandboxedService) {
    this.#folder = folder;
    this.variables = { AMQP_URL: service.url, AMQP_PREFIX: service.prefix };
  }

  static async create(sandboxed: SandboxedService): Promise<ReportFolder> {
    return new ReportFolder(await mkdtempDisposable(join(tmpdir(), 'poker-bridge-report-')), sandboxed);
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

  /** The bytes of a file, one a character. */
  content(file: string): Promise<string> {
    return readFile(this.pathOf(file), 'latin1');
  }

  write(file: string, text: string): Promise<void> {
    return writeFile(this.pathOf(file), text);
  }

  async files(): Promise<string[]> {
    return (await readdir(this.#folder.path)).toSorted();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#folder.remove();
  }
}
