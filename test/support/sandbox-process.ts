import { build } from '../../scripts/build/build.ts';
import { commandOf, SANDBOX } from '../../scripts/build/programs.ts';
import { root } from '../../scripts/root.ts';
import { Program } from './worker-process.ts';

/** A sandbox in a process of its own, from built code. */
export class SandboxProcess extends Program {
  /** Where it listens; rejects if it ends instead. */
  readonly url: Promise<string>;

  constructor(variables: Readonly<Record<string, string>>) {
    const command = commandOf(SANDBOX, { SANDBOX_PORT: '0', ...variables });
    super(process.execPath, command.args, { PATH: process.env['PATH'], ...command.variables });
    this.url = this.says(/^sandbox listening on (http:\/\/\S+)\n/m);
    this.url.catch(() => undefined);
  }
}

/** Starts the sandbox on a free port with only these variables. */
export async function startSandboxProcess(variables: Record<string, string> = {}): Promise<SandboxProcess> {
  await build(root);
  return new SandboxProcess(variables);
}
