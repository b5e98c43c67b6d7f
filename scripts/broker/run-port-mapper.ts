import { join } from 'node:path';

import { type GuardedCommand, guardedCommand } from '../processes/guarded-command.ts';
import type { Installation } from './installation.ts';

/** Starts Erlang's port mapper, through which nodes and rabbitmqctl find each other, on a loopback port. */
export function runPortMapper({ erlang }: Installation, port: number): GuardedCommand {
  return guardedCommand(join(erlang, 'bin', 'epmd'), ['-port', String(port), '-address', '127.0.0.1'], {
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'ignore',
    env: { PATH: process.env['PATH'] },
  });
}
