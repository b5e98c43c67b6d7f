import { build } from '../../scripts/build/build.ts';
import { root } from '../../scripts/root.ts';
import { Program } from './program.ts';

/** A sandbox in a process of its own, from built code. */
export class SandboxProcess extends Program {
  /** Where it listens; rejects if it ends instead. */
  readonly url: Promise<string>;

  constructor(variables: Readonly<Record<string, string>>) {
    super(process.execPath, ['--disable-warning=ExperimentalWarning', 'dist/apps/sandbox/src/main.js'], {
      PATH: process.env['PATH'],
      SANDBOX_PORT: '0',
      ...variables,
    });
    this.url = this.says(/^sandbox listening on (http:\/\/\S+)\n/m);
    this.url.catch(() => undefined);
  }
}

/** Starts the sandbox on a free port with only these variables. */
export async function startSandboxProcess(variables: Record<string, string> = {}): Promise<SandboxProcess> {
  await build(root);
  return new SandboxProcess(variables);
}
