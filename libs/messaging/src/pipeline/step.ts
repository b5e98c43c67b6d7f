import type { Command } from '../command/command.ts';
import type { Settlement } from './settlement.ts';

/** Runs the steps that follow. It never throws: what one of them throws is a rejection. */
export type Next = (command: Command) => Promise<Settlement>;

/** One step of the pipeline: settles a command, or hands it on and may change what comes back. It may throw. */
export type Step = (command: Command, next: Next) => Promise<Settlement>;

/** The steps as one function, the first of them outermost. */
export function chain(steps: readonly Step[]): Next {
  const end: Next = () => Promise.reject(new Error('no step settled the command'));
  return steps.reduceRight<Next>((next, step) => (command) => take(step, command, next), end);
}

function take(step: Step, command: Command, next: Next): Promise<Settlement> {
  try {
    return step(command, next);
  } catch (thrown) {
    // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- whatever a step throws
    return Promise.reject(thrown);
  }
}
