import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { freePorts } from '../network.ts';
import type { Installation } from './installation.ts';

/** A private node. All of its files are in its folder. */
export interface BrokerNode {
  readonly installation: Installation;
  /** For example `poker@localhost`. */
  readonly name: string;
  readonly folder: string;
  /** `distribution` serves other nodes and rabbitmqctl; `epmd` is the port of Erlang's port mapper. */
  readonly ports: Readonly<Record<'amqp' | 'distribution' | 'epmd' | 'metrics', number>>;
  /** The loopback address that this node uses for each host in node names. */
  readonly hosts: Readonly<Record<string, string>>;
}

export interface NodeSettings {
  /** RabbitMQ's settings as Erlang terms, such as `{max_message_size, 100000}`. */
  readonly settings?: readonly string[];
  /** Settings of other Erlang applications, by name: `{ kernel: '{net_ticktime, 8}' }`. */
  readonly others?: Readonly<Record<string, string>>;
  /** True to enable the Prometheus plugin. Default: false. */
  readonly hasMetrics?: boolean;
}

/** The secret with which the nodes of this process authenticate each other. */
const COOKIE = randomBytes(16).toString('hex');

/**
 * Creates the folder and the configuration of a node. All ports listen on the loopback interface only.
 *
 * @param members the names of all nodes of its cluster, which discover each other at start; empty for a
 *   single node
 */
export function createNode(
  node: BrokerNode,
  { settings = [], others = {}, hasMetrics = false }: NodeSettings,
  members: readonly string[],
): void {
  const { installation, folder, ports, hosts } = node;
  const write = (name: string, text: string, mode?: number): void =>
    writeFileSync(join(folder, name), text, { mode });
  for (const part of ['home', 'plugins']) mkdirSync(join(folder, part), { recursive: true });
  write('home/.erlang.cookie', COOKIE, 0o400);
  write('enabled_plugins', `[${hasMetrics ? 'rabbitmq_prometheus' : ''}].\n`);
  // The node's name is resolved without the machine's resolver, which may not know localhost, or resolve it
  // to ::1.
  const found = Object.entries(hosts).map(
    ([host, address]) => `{host, {${address.replaceAll('.', ', ')}}, ["${host}"]}.\n`,
  );
  write('inetrc', `${found.join('')}{lookup, [file, native]}.\n`);
  const rabbit = [
    `{cluster_nodes, {[${members.map((name) => `'${name}'`).join()}], disc}}`,
    '{cluster_formation, [{discovery_retry_limit, 10}, {discovery_retry_interval, 200}]}',
    ...settings,
  ];
  const loopback = '{inet_dist_use_interface, {127, 0, 0, 1}}';
  const applications = { ...others, kernel: [loopback, others['kernel'] ?? []].flat().join(', ') };
  write(
    'advanced.config',
    `[
  {rabbit, [${rabbit.join(',\n    ')}]},
  {rabbitmq_prometheus, [{tcp_config, [{ip, "127.0.0.1"}, {port, ${ports.metrics}}]}]},
  ${Object.entries(applications)
    .map(([name, terms]) => `{${name}, [${terms}]}`)
    .join(',\n  ')}
].
`,
  );
  // The server searches the plugins for the schema of its settings. Without metrics, no other plugin is
  // needed.
  const wanted = hasMetrics ? /-\d/ : /^rabbit-\d/;
  const plugins = join(installation.home, 'plugins');
  for (const plugin of readdirSync(plugins).filter((entry) => wanted.test(entry)))
    symlinkSync(join(plugins, plugin), join(folder, 'plugins', plugin));
}

/**
 * Returns the environment of a node and its tools. It inherits nothing from the machine's own RabbitMQ or
 * from the caller's shell.
 */
export function nodeEnvironment({ name, folder, ports, installation }: BrokerNode): Record<string, string> {
  return {
    PATH: installation.path,
    HOME: join(folder, 'home'),
    LANG: 'C.UTF-8',
    ERL_EPMD_PORT: String(ports.epmd),
    ERL_EPMD_ADDRESS: '127.0.0.1',
    ERL_INETRC: join(folder, 'inetrc'),
    ERL_CRASH_DUMP_SECONDS: '0',
    RABBITMQ_CONF_ENV_FILE: '/dev/null',
    RABBITMQ_NODENAME: name,
    RABBITMQ_NODE_IP_ADDRESS: '127.0.0.1',
    RABBITMQ_NODE_PORT: String(ports.amqp),
    RABBITMQ_DIST_PORT: String(ports.distribution),
    RABBITMQ_MNESIA_BASE: join(folder, 'data'),
    RABBITMQ_LOG_BASE: join(folder, 'log'),
    // Standard output.
    RABBITMQ_LOGS: '-',
    RABBITMQ_CONFIG_FILE: join(folder, 'rabbitmq'),
    RABBITMQ_ADVANCED_CONFIG_FILE: join(folder, 'advanced.config'),
    RABBITMQ_ENABLED_PLUGINS_FILE: join(folder, 'enabled_plugins'),
    RABBITMQ_PLUGINS_DIR: join(folder, 'plugins'),
    // The script executes the node in its own process; `-noinput` then disables the Erlang shell.
    RABBITMQ_ALLOW_INPUT: 'true',
    // The node shares a small machine with the tested programs. Schedulers are not bound to cores, because
    // two nodes would choose the same one. SIGINT is left to the process that started the node.
    RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: '-noinput +B i +stbt u',
    RABBITMQ_CTL_ERL_ARGS: '-kernel inet_dist_use_interface {127,0,0,1}',
  };
}

/**
 * Runs rabbitmqctl, or another RabbitMQ tool, against a private node: `rabbitmqctl(node, ['list_queues',
 * 'name'])`.
 *
 * @returns its output, after about a second, most of which is the start of Erlang
 * @throws {Error} with its output, if it fails
 */
export async function rabbitmqctl(node: BrokerNode, args: readonly string[], tool = 'rabbitmqctl') {
  const [port = 0] = await freePorts(1);
  const script = join(node.installation.home, 'sbin', tool);
  const env = {
    ...nodeEnvironment(node),
    RABBITMQ_CTL_DIST_PORT_MIN: String(port),
    RABBITMQ_CTL_DIST_PORT_MAX: String(port + 20),
  };
  const { stdout } = await promisify(execFile)(script, ['-q', ...args], { env, cwd: node.folder });
  return stdout;
}
