import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from '../../scripts/build/build.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** A sandbox process, from built code. */
export interface SandboxProcess extends AsyncDisposable {
  /** Its address; rejects if it exits instead. */
  readonly url: Promise<string>;
  readonly exited: Promise<{
    readonly code: number | null;
    readonly stdout: string;
    readonly stderr: string;
  }>;
  kill(signal: NodeJS.Signals): void;
}

/** Starts the sandbox on a free port with only these variables. */
export async function startSandboxProcess(variables: Record<string, string> = {}): Promise<SandboxProcess> {
  await build(root);
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', join(root, 'dist/apps/sandbox/src/main.js')],
    {
      env: { PATH: process.env['PATH'], SANDBOX_PORT: '0', ...variables },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  let [stdout, stderr] = ['', ''];
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const exited = once(child, 'close').then(([code]) => ({ code: code as number | null, stdout, stderr }));
  const url = new Promise<string>((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
      const [, listening] = /^sandbox listening on (http:\/\/\S+)\n/m.exec(stdout) ?? [];
      if (listening !== undefined) resolve(listening);
    });
    void exited.then(() => reject(new Error(`the sandbox ended: ${stderr}`)));
  });
  url.catch(() => undefined);
  return {
    url,
    exited,
    kill: (signal) => void child.kill(signal),
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
}
