import type { CheckedCommand } from '../command/command.ts';
import type { Settlement } from '../command/settlement.ts';

/** Runs the steps that follow. It may throw, and its promise may reject. */
export type Next = (command: CheckedCommand) => Promise<Settlement>;

/** One step of a lane: settles a command, or passes it on and may change what comes back. What it opens, it closes. */
export type Step = (command: CheckedCommand, next: Next) => Promise<Settlement>;

/** The steps as one function, the first of them outermost. */
export function inOrder(steps: readonly Step[]): Next {
  const end: Next = () => Promise.reject(new Error('no step settled the command'));
  return steps.reduceRight<Next>((next, step) => (command) => step(command, next), end);
}
