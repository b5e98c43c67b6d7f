import { parseArgs } from 'node:util';

import { isAlive } from './launcher/with-lock.mjs';
import { messageOf } from './message-of.ts';

const POLL_MS = 500;

/** Does the work of an npm script, and ends this process with its exit code; an error is a line on stderr, and 1. */
export async function runTask(work: () => Promise<number>): Promise<never> {
  endWithNpm();
  try {
    process.exit(await work());
  } catch (error) {
    console.error(`poker-bridge: ${messageOf(error)}`);
    process.exit(1);
  }
}

/** If npm has started the launcher, ends this process as SIGTERM would once npm is gone: killed, it can tell nobody. */
function endWithNpm(): void {
  const npm = Number(process.env['LAUNCHED_BY_PID']);
  if (process.env['npm_lifecycle_event'] === undefined || !(npm > 1)) return;
  const timer = setInterval(() => {
    if (isAlive(npm)) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, POLL_MS);
  timer.unref();
}

type Defaults = Readonly<Record<string, string | false | undefined>>;

/**
 * The options that a person gives to a task, each with its default; `false` makes a flag.
 *
 * @throws {TypeError} with the name of an option that does not exist
 */
export function readOptions<const T extends Defaults>(defaults: T) {
  const options = Object.entries<Defaults[string]>(defaults).map(([name, fallback]) => {
    const type = fallback === false ? 'boolean' : 'string';
    return [name, { type, ...(fallback !== undefined && { default: fallback }) }] as const;
  });
  return parseArgs({ options: Object.fromEntries(options) }).values as {
    readonly [N in keyof T]: T[N] extends false ? boolean : string | Extract<T[N], undefined>;
  };
}

/** @throws {Error} if an option is not a whole number of at least 1 */
export function readCount(option: string, text: string | undefined, fallback = 1): number {
  const count = text === undefined ? fallback : readPositive(option, text);
  if (!Number.isInteger(count)) throw new Error(`--${option} ${text} is not a count`);
  return count;
}

/** @throws {Error} if an option is not a number above 0 */
export function readPositive(option: string, text: string): number {
  const value = Number(text);
  if (Number.isFinite(value) && value > 0) return value;
  throw new Error(`--${option} ${text} is not a number above 0`);
}
