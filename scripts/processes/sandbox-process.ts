import { SANDBOX, startOf } from '../build/programs.ts';
import { Program } from './program.ts';

/** A sandbox process, from built code, on a free port and with only these variables. */
export class SandboxProcess extends Program {
  constructor(variables: Readonly<Record<string, string>> = {}) {
    super(...startOf(SANDBOX, { SANDBOX_PORT: '0', ...variables }));
  }

  get url(): Promise<string> {
    return this.says(/^sandbox listening on (http:\/\/\S+)\n/m);
  }
}
