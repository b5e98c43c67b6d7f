import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { freePorts } from '../network.ts';
import type { BrokerNode } from './node-files.ts';

/** The environment of a node, which takes nothing over from the machine's own RabbitMQ or from the caller's shell. */
export function nodeEnvironment(node: BrokerNode): Record<string, string> {
  const { folder, ports } = node;
  return {
    ...commonEnvironment(node),
    RABBITMQ_NODE_IP_ADDRESS: '127.0.0.1',
    RABBITMQ_NODE_PORT: String(ports.amqp),
    RABBITMQ_DIST_PORT: String(ports.distribution),
    RABBITMQ_MNESIA_BASE: join(folder, 'data'),
    RABBITMQ_LOG_BASE: join(folder, 'log'),
    RABBITMQ_LOGS: join(folder, 'log', 'node.log'),
    RABBITMQ_PID_FILE: join(folder, 'pid'),
    RABBITMQ_CONFIG_FILE: join(folder, 'rabbitmq'),
    RABBITMQ_ADVANCED_CONFIG_FILE: join(folder, 'advanced.config'),
    RABBITMQ_ENABLED_PLUGINS_FILE: join(folder, 'enabled_plugins'),
    RABBITMQ_PLUGINS_DIR: join(folder, 'plugins'),
    RABBITMQ_PLUGINS_EXPAND_DIR: join(folder, 'data', 'plugins-expand'),
    // Lets the script become the node instead of its parent; `-noinput` then keeps the Erlang shell away.
    RABBITMQ_ALLOW_INPUT: 'true',
    // For a node that shares a small machine with what is tested: schedulers are not bound to cores, where two nodes would
    // choose the same one, and SIGINT is left to the process that started the node.
    RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: '-noinput +B i +stbt u',
  };
}

function commonEnvironment({ name, folder, ports, installation }: BrokerNode): Record<string, string> {
  return {
    PATH: installation.path,
    HOME: join(folder, 'home'),
    LANG: 'C.UTF-8',
    RABBITMQ_CONF_ENV_FILE: '/dev/null',
    RABBITMQ_NODENAME: name,
    ERL_EPMD_PORT: String(ports.epmd),
    ERL_EPMD_ADDRESS: '127.0.0.1',
    ERL_INETRC: join(folder, 'inetrc'),
    ERL_CRASH_DUMP_SECONDS: '0',
  };
}

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
  const env = {
    ...commonEnvironment(node),
    RABBITMQ_CTL_DIST_PORT_MIN: String(port),
    RABBITMQ_CTL_DIST_PORT_MAX: String(port + 20),
    RABBITMQ_CTL_ERL_ARGS: '-kernel inet_dist_use_interface {127,0,0,1}',
  };
  const { stdout } = await promisify(execFile)(script, ['-q', ...args], { env, cwd: node.folder });
  return stdout;
}
