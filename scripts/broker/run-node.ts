import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { speaksAmqp } from '../network/speaks.ts';
import { type GuardedCommand, guardedCommand } from '../processes/guarded-command.ts';
import type { Installation } from './installation.ts';
import { nodeEnvironment } from './node-environment.ts';
import type { BrokerNode } from './node-files.ts';

const BOOT_TIMEOUT_MS = 90_000;
const TOLD_LINES = 25;

/**
 * Starts a node and waits until it takes AMQP connections. Its folder is removed when it ends.
 *
 * @throws {Error} with the end of its log, if it ends before that
 */
export async function runNode(node: BrokerNode): Promise<GuardedCommand> {
  const output = openSync(join(node.folder, 'log', 'output.log'), 'a');
  const command = guardedCommand(join(node.installation.home, 'sbin', 'rabbitmq-server'), [], {
    cwd: node.folder,
    env: nodeEnvironment(node),
    stdin: 'ignore',
    stdout: output,
    stderr: output,
    folder: node.folder,
  });
  closeSync(output);
  try {
    await command.until(() => speaksAmqp(node.ports.amqp), BOOT_TIMEOUT_MS);
  } catch (error) {
    const told = lastLines(node);
    await command.end();
    throw new Error(`RabbitMQ did not start:\n${told}`, { cause: error });
  }
  return command;
}

/** Starts Erlang's port mapper, through which nodes and rabbitmqctl find each other, on a loopback port. */
export function runPortMapper({ erlang }: Installation, port: number): GuardedCommand {
  return guardedCommand(join(erlang, 'bin', 'epmd'), ['-port', String(port), '-address', '127.0.0.1'], {
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'ignore',
    env: { PATH: process.env['PATH'] },
  });
}

function lastLines({ folder }: BrokerNode): string {
  return ['output.log', 'node.log']
    .map((name) =>
      readIfThere(join(folder, 'log', name))
        .trimEnd()
        .split('\n')
        .slice(-TOLD_LINES)
        .join('\n'),
    )
    .join('\n');
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
