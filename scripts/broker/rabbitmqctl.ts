import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { freePorts } from '../network.ts';
import { controlEnvironment } from './node-environment.ts';
import type { BrokerNode } from './node-files.ts';

/**
 * Runs rabbitmqctl against a private node, for example `rabbitmqctl(node, ['list_queues', 'name', 'messages'])`.
 *
 * @param tool another one of RabbitMQ's, such as `rabbitmq-diagnostics`
 * @returns what it printed; about a second passes, most of it for the start of Erlang
 * @throws {Error} with its output, if it fails
 */
export async function rabbitmqctl(
  node: BrokerNode,
  args: readonly string[],
  tool = 'rabbitmqctl',
): Promise<string> {
  const [port = 0] = await freePorts(1);
  const script = join(node.installation.home, 'sbin', tool);
  const options = { env: controlEnvironment(node, port), cwd: node.folder };
  const { stdout } = await promisify(execFile)(script, ['-q', ...args], options);
  return stdout;
}
