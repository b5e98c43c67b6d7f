import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

import { freePorts } from '../network.ts';
import type { Installation } from './installation.ts';
import type { BrokerNode } from './node-files.ts';

/**
 * The applications whose modules a node loads when it starts, by their number. The loader asks every folder of its
 * path for every module, a hundred thousand failing file accesses unless the right folder comes first: with this
 * order, and without the plugins that nobody enables, a node starts in half the time.
 */
const LOADED =
  `rabbit kernel stdlib rabbit_common ssl inets compiler ra xmerl mnesia cuttlefish rabbitmq_prelaunch
  ranch sasl tools osiris observer_cli public_key syslog jsx syntax_tools systemd os_mon aten recon sysmon_handler
  credentials_obfuscation stdout_formatter seshat amqp10_common crypto gen_batch_server enough asn1 khepri
  khepri_mnesia_migration oauth2_client horus`.split(/\s+/);

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
function controlEnvironment(node: BrokerNode, port: number): Record<string, string> {
  return {
    ...commonEnvironment(node),
    RABBITMQ_CTL_DIST_PORT_MIN: String(port),
    RABBITMQ_CTL_DIST_PORT_MAX: String(port + 20),
    RABBITMQ_CTL_ERL_ARGS: '-kernel inet_dist_use_interface {127,0,0,1}',
  };
}

function commonEnvironment({ name, folder, ports, installation }: BrokerNode): Record<string, string> {
  return {
    // Its own Erlang first: the machine may have an older one.
    PATH: [join(installation.erlang, 'bin'), process.env['PATH'] ?? ''].join(delimiter),
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
 * Arguments of the Erlang machine for a node that shares a small machine with what is tested: schedulers are not
 * bound to cores, where two nodes would choose the same one, and SIGINT is left to the process that started the node.
 */
function erlangArguments(installation: Installation): readonly string[] {
  const folders = [join(installation.home, 'plugins'), join(installation.erlang, 'lib')];
  const paths = new Map(folders.flatMap(applicationsIn));
  const loaded = LOADED.flatMap((name) => paths.get(name) ?? []);
  return ['-noinput', '+B', 'i', '+stbt', 'u', '-pa', ...loaded];
}

/** Each application of a folder such as `stdlib-4.2`, with the place of its modules. */
function applicationsIn(folder: string): [name: string, path: string][] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => [name.replace(/-[\d.]+.*$/, ''), join(folder, name, 'ebin')]);
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
  const options = { env: controlEnvironment(node, port), cwd: node.folder };
  const { stdout } = await promisify(execFile)(script, ['-q', ...args], options);
  return stdout;
}
