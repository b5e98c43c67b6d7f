import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { type GuardedCommand, guardedCommand } from '../processes/guarded-command.ts';
import { nodeEnvironment } from './node-environment.ts';
import type { BrokerNode } from './node-files.ts';
import { speaksAmqp } from './speaks-amqp.ts';

const BOOT_TIMEOUT_MS = 90_000;
const POLL_MS = 50;
const TOLD_LINES = 25;

/**
 * Starts a node and waits until it takes AMQP connections. Its folder is removed when it ends.
 *
 * @throws {Error} with the end of its log, where it ends before that
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
  const untilMs = Date.now() + BOOT_TIMEOUT_MS;
  while (!(await speaksAmqp(node.ports.amqp))) {
    if (hasEnded(command) || Date.now() > untilMs) {
      const told = lastLines(node);
      await command.end();
      throw new Error(`RabbitMQ did not start:\n${told}`);
    }
    await sleep(POLL_MS);
  }
  return command;
}

function hasEnded({ child }: GuardedCommand): boolean {
  return child.exitCode !== null || child.signalCode !== null || child.pid === undefined;
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
