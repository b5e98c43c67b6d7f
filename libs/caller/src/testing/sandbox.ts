import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const NO_CHECKOUT =
  'startSandbox needs a checkout of poker-bridge: pass its path as checkout, or set POKER_BRIDGE_CHECKOUT. ' +
  'To use a running sandbox and worker, set AMQP_URL and SANDBOX_URL.';

export interface SandboxOptions {
  /** The path of a checkout of poker-bridge. Default: the environment variable POKER_BRIDGE_CHECKOUT. */
  readonly checkout?: string | undefined;
  /** Settings of the sandbox and the worker: `{ SANDBOX_UNKNOWN_PLAYERS: 'refuse' }`. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** A running broker, sandbox and worker. */
export interface Sandbox extends AsyncDisposable {
  /** The URL of the broker, for `createCaller`. */
  readonly url: string;
  /** The worker's prefix, for `createCaller`. */
  readonly prefix: string;
  /** The URL of the sandbox, for its page and its control API. */
  readonly sandboxUrl: string;
  /** Stops everything that was started. */
  stop(): Promise<void>;
}

/**
 * Starts a broker, the sandbox of the platform and a worker on free ports. They stop by `stop`, or when this
 * process ends. If the environment variables AMQP_URL and SANDBOX_URL name running ones, these are returned.
 *
 * @throws Error if there is no checkout, or if they do not start; stderr says why
 */
export async function startSandbox({
  checkout = process.env['POKER_BRIDGE_CHECKOUT'],
  settings = {},
}: SandboxOptions = {}): Promise<Sandbox> {
  if (process.env['AMQP_URL'] && process.env['SANDBOX_URL'])
    return describe(process.env, () => Promise.resolve());
  if (!checkout) throw new Error(NO_CHECKOUT);
  const program = join(checkout, 'scripts/run.mjs');
  const args = [program, 'fixture', '--settings', JSON.stringify(settings)];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const closed = once(child, 'close');
  for await (const line of createInterface({ input: child.stdout })) {
    // A test run can end without stopping it; its end stops it.
    child.unref();
    for (const pipe of [child.stdin, child.stdout]) (pipe as Socket).unref();
    return describe(JSON.parse(line) as NodeJS.ProcessEnv, async () => {
      child.ref();
      child.stdin.end();
      await closed;
    });
  }
  throw new Error(`${program} fixture ended with ${String((await closed)[0])}; its message is on stderr`);
}

function describe(
  { AMQP_URL = '', AMQP_PREFIX = 'poker', SANDBOX_URL = '' }: NodeJS.ProcessEnv,
  stop: () => Promise<void>,
): Sandbox {
  return { url: AMQP_URL, prefix: AMQP_PREFIX, sandboxUrl: SANDBOX_URL, stop, [Symbol.asyncDispose]: stop };
}
