import { createInterface } from 'node:readline/promises';

import { usageError } from '../exit.ts';

/**
 * Asks the user on the terminal; anything but `y` or `yes` is a no.
 *
 * @throws ExitError wrong usage, if there is no terminal to ask on
 */
export async function confirm(question: string, signal: AbortSignal): Promise<boolean> {
  if (!process.stdin.isTTY) {
    throw usageError('there is no terminal to ask on: say --yes to go on, or --dry-run to only look');
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  // A terminal in raw mode gives no signal: here Ctrl-C is a no.
  terminal.on('SIGINT', () => terminal.close());
  const closed = new Promise<undefined>((resolve) => terminal.once('close', () => resolve(undefined)));
  let answer: string | undefined;
  try {
    answer = await Promise.race([terminal.question(`${question} [y/N] `, { signal }), closed]);
    if (answer === undefined) return false;
    return /^y(es)?$/i.test(answer.trim());
  } catch (error) {
    if (signal.aborted) return false;
    throw error;
  } finally {
    terminal.close();
    // What follows is not to stand beside the question.
    if (answer === undefined) process.stderr.write('\n');
  }
}
