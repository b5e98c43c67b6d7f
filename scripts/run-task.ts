import { parseArgs } from 'node:util';

import { isAlive } from './launcher/with-lock.mjs';
import { messageOf } from './message-of.ts';

const POLL_MS = 500;

/**
 * Runs the function of an npm script and ends this process: with 1 if it returns false or throws. An error is
 * printed on stderr.
 */
export async function runTask(work: () => Promise<boolean | void>): Promise<never> {
  endWithNpm();
  // A reader such as head may close the pipe early; cleanup continues in this case.
  process.stdout.on('error', () => undefined);
  try {
    if ((await work()) === false) process.exitCode = 1;
  } catch (error) {
    console.error(`poker-bridge: ${messageOf(error)}`);
    process.exitCode = 1;
  }
  process.exit();
}

/**
 * If npm started the launcher, ends this process like SIGTERM when npm has ended, because a killed npm cannot
 * send a signal.
 */
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

/**
 * Resolves with the first signal to stop, which does not end the process itself. Under npm, Ctrl-C arrives
 * twice, from the terminal and from npm, and the second one must not interrupt the cleanup.
 */
export function toldToStop(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve(signal));
  });
}

type Wanted = string | number | typeof String | typeof Number | typeof Boolean;
type Given<T> = T extends (value: unknown) => infer R ? R | undefined : T extends number ? number : string;

/**
 * Reads the options of a task.
 *
 * @param wanted each with its default, or else its type: `{ rate: 150, only: String, quick: Boolean }`
 * @throws {Error} with the name of an unknown option, and the valid names
 * @throws {Error} if a number is not above 0
 */
export function readOptions<const T extends Readonly<Record<string, Wanted>>>(wanted: T) {
  const entries = Object.entries<Wanted>(wanted);
  const values = parsed(entries.map(([name, each]) => [name, each === Boolean ? 'boolean' : 'string']));
  const given = entries.map(([name, each]) => {
    const value = values[name] ?? (typeof each === 'function' ? undefined : each);
    const isNumber = each === Number || typeof each === 'number';
    return [name, isNumber && value !== undefined ? readPositive(name, String(value)) : value];
  });
  return Object.fromEntries(given) as { readonly [N in keyof T]: Given<T[N]> };
}

function parsed(types: readonly (readonly [name: string, type: 'boolean' | 'string'])[]) {
  try {
    return parseArgs({ options: Object.fromEntries(types.map(([name, type]) => [name, { type }])) }).values;
  } catch (error) {
    const known = types.map(([name]) => `--${name}`);
    throw new Error(`${messageOf(error)}; valid options: ${known.join(', ')}`, { cause: error });
  }
}

/** @throws {Error} if an option is not a number above 0 */
export function readPositive(option: string, text: string): number {
  const value = Number(text);
  if (Number.isFinite(value) && value > 0) return value;
  throw new Error(`--${option} ${text} is not a number above 0`);
}
