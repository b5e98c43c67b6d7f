import { join } from 'node:path';

import { erlangArguments } from './erlang-arguments.ts';
import type { BrokerNode } from './node-files.ts';

/** The environment of a node, which takes nothing over from the machine's own RabbitMQ or from the caller's shell. */
export function nodeEnvironment(node: BrokerNode): Record<string, string> {
  const { folder, installation, ports } = node;
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
    RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: erlangArguments(installation).join(' '),
  };
}

/** The environment of rabbitmqctl for that node. */
export function controlEnvironment(node: BrokerNode, port: number): Record<string, string> {
  return {
    ...commonEnvironment(node),
    RABBITMQ_CTL_DIST_PORT_MIN: String(port),
    RABBITMQ_CTL_DIST_PORT_MAX: String(port + 20),
    RABBITMQ_CTL_ERL_ARGS: '-kernel inet_dist_use_interface {127,0,0,1}',
  };
}

function commonEnvironment({ name, folder, ports }: BrokerNode): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '',
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
