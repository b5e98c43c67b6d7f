import { mkdirSync, mkdtempSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Installation } from './installation.ts';

/** A listener for TLS that demands a client certificate; all of it in PEM. */
export interface TlsListener {
  readonly port: number;
  readonly cert: string;
  readonly key: string;
  /** Of the clients' authority. */
  readonly ca: string;
}

export interface NodeSettings {
  /** Of RabbitMQ, as Erlang terms such as `{max_message_size, 100000}`. */
  readonly settings?: readonly string[] | undefined;
  /** Default: none. */
  readonly tls?: TlsListener | undefined;
  /** Of the plugin for Prometheus. Default: it is not enabled. */
  readonly metricsPort?: number | undefined;
}

export interface NodePorts {
  readonly amqp: number;
  /** For other nodes and rabbitmqctl. */
  readonly distribution: number;
  /** Of Erlang's port mapper. */
  readonly epmd: number;
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

export function newCookie(): string {
  return randomBytes(16).toString('hex');
}

/**
 * Makes a new folder in the system's temporary one, with what a node needs to start there.
 *
 * @param membership default: a node that stands alone
 */
export function createNodeFiles(
  installation: Installation,
  ports: NodePorts,
  { name, members, cookie }: Membership = { name: 'poker@localhost', members: [], cookie: newCookie() },
  { settings = [], tls, metricsPort }: NodeSettings = {},
): BrokerNode {
  const folder = mkdtempSync(join(tmpdir(), 'poker-bridge-broker-'));
  for (const part of ['home', 'data', 'log', 'plugins']) mkdirSync(join(folder, part));
  writeFileSync(join(folder, 'home', '.erlang.cookie'), cookie, { mode: 0o400 });
  const plugins = metricsPort === undefined ? '' : 'rabbitmq_prometheus';
  writeFileSync(join(folder, 'enabled_plugins'), `[${plugins}].\n`);
  const all = tls ? [...settings, ...tlsSettings(folder, tls)] : settings;
  writeFileSync(join(folder, 'advanced.config'), advancedConfig(ports.amqp, members, all, metricsPort));
  writeFileSync(join(folder, 'inetrc'), INETRC);
  linkPlugins(installation, join(folder, 'plugins'), plugins === '' ? /^rabbit-\d/ : /-\d/);
  return { installation, name, folder, ports };
}

/** The node's name is found without the machine's resolver, which may know no localhost, or know it as ::1. */
const INETRC = '{host, {127, 0, 0, 1}, ["localhost"]}.\n{lookup, [file, native]}.\n';

/** As deploy/rabbitmq/rabbitmq.conf, and as RabbitMQ 4 by default. */
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;

/** Everything listens on the loopback interface alone; the log goes to a file. */
function advancedConfig(
  port: number,
  members: readonly string[],
  settings: readonly string[],
  metricsPort: number | undefined,
): string {
  const ownSize = settings.some((setting) => setting.startsWith('{max_message_size'));
  const all = ownSize ? settings : [`{max_message_size, ${MAX_MESSAGE_BYTES}}`, ...settings];
  const metrics = `{rabbitmq_prometheus, [{tcp_config, [{ip, "127.0.0.1"}, {port, ${metricsPort}}]}]},`;
  const quoted = members.map((name) => `'${name}'`);
  return `[
  {rabbit, [
    {tcp_listeners, [{"127.0.0.1", ${port}}]},
    {cluster_nodes, {[${quoted.join()}], disc}},
    {cluster_formation, [{discovery_retry_limit, 10}, {discovery_retry_interval, 200}]},
    {log, [{console, [{enabled, false}]}]}${all.map((setting) => `,\n    ${setting}`).join('')}
  ]},
  ${metricsPort === undefined ? '' : metrics}
  {kernel, [{inet_dist_use_interface, {127, 0, 0, 1}}]}
].
`;
}

/** @returns settings as Erlang terms */
function tlsSettings(folder: string, { port, ...pem }: TlsListener): string[] {
  for (const [name, text] of Object.entries(pem)) {
    writeFileSync(join(folder, `${name}.pem`), text, { mode: 0o600 });
  }
  const file = (name: keyof typeof pem): string => `"${join(folder, `${name}.pem`)}"`;
  return [
    `{ssl_listeners, [{"127.0.0.1", ${port}}]}`,
    `{ssl_options, [
      {cacertfile, ${file('ca')}}, {certfile, ${file('cert')}}, {keyfile, ${file('key')}},
      {verify, verify_peer}, {fail_if_no_peer_cert, true}
    ]}`,
  ];
}

/** The server looks for the scheme of its settings among the plugins; without metrics no other plugin is wanted. */
function linkPlugins({ home }: Installation, plugins: string, wanted: RegExp): void {
  for (const name of readdirSync(join(home, 'plugins')).filter((entry) => wanted.test(entry)))
    symlinkSync(join(home, 'plugins', name), join(plugins, name));
}
