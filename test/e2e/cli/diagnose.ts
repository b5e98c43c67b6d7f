import { expect } from '@jest/globals';

import type { SandboxedService } from '../commands/sandboxed-service.ts';
import { runCli } from './run-cli.ts';

/** A secret that no output of the doctor may contain. */
export const CANARY = 'CANARY-secret-0123456789';

/** Returns the URL of the service's broker with a change. */
export function brokerUrlOf({ service }: SandboxedService, change: Partial<URL>): string {
  return Object.assign(new URL(service.url), change).href;
}

/** Returns the function that runs the doctor with the settings of the worker and some changes. */
export function diagnosesOf({ service }: SandboxedService) {
  return async (changes: Record<string, string> = {}) => {
    const variables = { ...service.variables, AMQP_URL: service.url, ...changes };
    const run = await runCli(['doctor', '--json'], { variables });
    expect(run.stdout + run.stderr).not.toContain(CANARY);
    const found = (state: string) =>
      run.lines
        .filter((line) => line['state'] === state)
        .map(({ subject, message, advice }) => [subject, message, advice].join(' | '));
    return { ...run, faults: found('fail'), warnings: found('warn').join('\n'), fine: found('ok') };
  };
}
