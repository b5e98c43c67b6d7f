import { mkdirSync, mkdtempSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Installation } from './installation.ts';

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

/** Makes a new folder in the system's temporary one, with what a node needs to start there. */
export function createNodeFiles(installation: Installation, ports: NodePorts): BrokerNode {
  const folder = mkdtempSync(join(tmpdir(), 'poker-bridge-broker-'));
  for (const name of ['home', 'data', 'log', 'plugins']) mkdirSync(join(folder, name));
  writeFileSync(join(folder, 'home', '.erlang.cookie'), randomBytes(16).toString('hex'), { mode: 0o400 });
  writeFileSync(join(folder, 'enabled_plugins'), '[].\n');
  writeFileSync(join(folder, 'advanced.config'), advancedConfig(ports.amqp));
  writeFileSync(join(folder, 'inetrc'), INETRC);
  linkRabbit(installation, join(folder, 'plugins'));
  return { installation, name: 'poker@localhost', folder, ports };
}

/** The node's name is found without the machine's resolver, which may know no localhost, or know it as ::1. */
const INETRC = '{host, {127, 0, 0, 1}, ["localhost"]}.\n{lookup, [file, native]}.\n';

/** Everything listens on the loopback interface alone; the log goes to a file. */
function advancedConfig(port: number): string {
  return `[
  {rabbit, [{tcp_listeners, [{"127.0.0.1", ${port}}]}, {log, [{console, [{enabled, false}]}]}]},
  {kernel, [{inet_dist_use_interface, {127, 0, 0, 1}}]}
].
`;
}

/** The server looks for the scheme of its settings among the plugins; no other plugin is wanted. */
function linkRabbit({ home }: Installation, plugins: string): void {
  const name = readdirSync(join(home, 'plugins')).find((entry) => /^rabbit-\d/.test(entry));
  if (name !== undefined) symlinkSync(join(home, 'plugins', name), join(plugins, name));
}
