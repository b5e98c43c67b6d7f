import { mkdirSync, mkdtempSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Installation } from './installation.ts';

export interface NodeSettings {
  /** RabbitMQ's settings as Erlang terms, such as `{max_message_size, 100000}`. */
  readonly settings?: readonly string[];
  /** Whether the plugin for Prometheus is enabled. Default false. */
  readonly hasMetrics?: boolean;
}

export interface NodePorts {
  readonly amqp: number;
  /** For other nodes and rabbitmqctl. */
  readonly distribution: number;
  /** Erlang's port mapper. */
  readonly epmd: number;
  readonly metrics: number;
}

/** A private node: everything that it is made of stands in its folder. */
export interface BrokerNode {
  readonly installation: Installation;
  /** For example `poker@localhost`. */
  readonly name: string;
  readonly folder: string;
  readonly ports: NodePorts;
}

/** What makes a node one of a cluster. */
export interface Membership {
  readonly name: string;
  /** The names of all nodes, which find each other when they start. */
  readonly members: readonly string[];
  /** The secret by which nodes trust each other. */
  readonly cookie: string;
}

/**
 * Makes a new folder in the system's temporary one, with what a node needs to start there.
 *
 * @param membership default: a node alone, in no cluster
 */
export function createNodeFiles(
  installation: Installation,
  ports: NodePorts,
  { settings = [], hasMetrics = false }: NodeSettings,
  { name, members, cookie }: Membership = {
    name: 'poker@localhost',
    members: [],
    cookie: randomBytes(16).toString('hex'),
  },
): BrokerNode {
  const folder = mkdtempSync(join(tmpdir(), 'poker-bridge-broker-'));
  for (const part of ['home', 'data', 'log', 'plugins']) mkdirSync(join(folder, part));
  writeFileSync(join(folder, 'home', '.erlang.cookie'), cookie, { mode: 0o400 });
  writeFileSync(join(folder, 'enabled_plugins'), `[${hasMetrics ? 'rabbitmq_prometheus' : ''}].\n`);
  writeFileSync(join(folder, 'advanced.config'), advancedConfig(ports, members, settings));
  // The node's name is found without the machine's resolver, which may know no localhost, or know it as ::1.
  writeFileSync(
    join(folder, 'inetrc'),
    '{host, {127, 0, 0, 1}, ["localhost"]}.\n{lookup, [file, native]}.\n',
  );
  // The server looks for the scheme of its settings among the plugins; without metrics no other plugin is wanted.
  const wanted = hasMetrics ? /-\d/ : /^rabbit-\d/;
  const plugins = join(installation.home, 'plugins');
  for (const plugin of readdirSync(plugins).filter((entry) => wanted.test(entry)))
    symlinkSync(join(plugins, plugin), join(folder, 'plugins', plugin));
  return { installation, name, folder, ports };
}

/** As deploy/rabbitmq/rabbitmq.conf, and as RabbitMQ 4 by default. */
const MAX_MESSAGE_SIZE = '{max_message_size, 16777216}';

/** Everything listens on the loopback interface alone; the log goes to a file. */
function advancedConfig(
  { amqp, metrics }: NodePorts,
  members: readonly string[],
  settings: readonly string[],
): string {
  const hasSize = settings.some((setting) => setting.startsWith('{max_message_size'));
  const all = hasSize ? settings : [MAX_MESSAGE_SIZE, ...settings];
  const quoted = members.map((name) => `'${name}'`);
  return `[
  {rabbit, [
    {tcp_listeners, [{"127.0.0.1", ${amqp}}]},
    {cluster_nodes, {[${quoted.join()}], disc}},
    {cluster_formation, [{discovery_retry_limit, 10}, {discovery_retry_interval, 200}]},
    {log, [{console, [{enabled, false}]}]}${all.map((setting) => `,\n    ${setting}`).join('')}
  ]},
  {rabbitmq_prometheus, [{tcp_config, [{ip, "127.0.0.1"}, {port, ${metrics}}]}]},
  {kernel, [{inet_dist_use_interface, {127, 0, 0, 1}}]}
].
`;
}
