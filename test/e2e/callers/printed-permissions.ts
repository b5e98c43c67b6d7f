import { expect } from '@jest/globals';

import { runCli } from '../cli/run-cli.ts';

/** What `poker-bridge callers permissions` prints for a file, by user: the arguments of `rabbitmqctl`. */
export async function printedPermissions(
  variables: Readonly<Record<'AMQP_URL' | 'AMQP_PREFIX' | 'CALLERS_FILE', string>>,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const { stdout, code } = await runCli(['callers', 'permissions'], { variables });
  expect(code).toBe(0);
  const lines = stdout.split('\n').filter((line) => line.startsWith('rabbitmqctl '));
  return new Map(
    lines.map((line) => {
      const [, ...args] = line.split(' ').map((word) => word.replaceAll("'", ''));
      return [args[3] ?? '', args];
    }),
  );
}
