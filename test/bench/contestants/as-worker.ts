import { WORKER } from '../../../scripts/build/programs.ts';
import type { ServiceProcessOptions } from '../../../scripts/processes/service-process.ts';

/**
 * How Node.js runs every program that is measured, ours and others: with the flags and the environment of a worker.
 *
 * @param nodeFlags beyond these, such as `--cpu-prof`
 */
export function asWorker(
  program: string,
  variables: Readonly<Record<string, string>>,
  nodeFlags: readonly string[] = [],
): Pick<ServiceProcessOptions, 'args' | 'variables'> {
  return {
    args: [...WORKER.flags, ...nodeFlags, program],
    variables: { ...WORKER.environment, ...variables },
  };
}
