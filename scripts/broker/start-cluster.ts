import { rmSync } from 'node:fs';

import { freePorts } from '../network/free-ports.ts';
import type { GuardedCommand } from '../processes/guarded-command.ts';
import type { Installation } from './installation.ts';
import { type BrokerNode, createNodeFiles, newCookie } from './node-files.ts';
import { rabbitmqctl } from './rabbitmqctl.ts';
import { requireInstallation } from './require-installation.ts';
import { runNode, runPortMapper } from './run-node.ts';

/** The least that loses a node and keeps a majority. */
const SIZE = 3;
const JOIN_TIMEOUT_SECONDS = 30;
/** As docs/operations.md has it set from RabbitMQ 4.3 on; older releases know no such setting. */
const SETTINGS = ['{consumer_disconnected_timeout, 1000}'];

export interface StartClusterOptions {
  /** Default: what is installed, or gets installed if that is possible. */
  readonly installation?: Installation;
}

/** One node of a cluster. */
export interface ClusterNode {
  /** For example `poker-1@localhost`. */
  readonly name: string;
  readonly url: string;
  /** Runs rabbitmqctl against it: `ctl('list_queues', 'name', 'messages')`. About a second. */
  ctl(...args: string[]): Promise<string>;
  /** Ends it as a power cut would, and keeps its data. */
  kill(): Promise<void>;
  /** Sends a signal to it, such as SIGSTOP. */
  signal(signal: NodeJS.Signals): void;
  /** Tells it to end in order, as an upgrade does, and keeps its data. */
  shutDown(): Promise<void>;
  /** Starts it again with its data and on its ports, and waits until it takes connections; kills it first if it runs. */
  restart(): Promise<void>;
}

/** RabbitMQ nodes of our own that form one cluster. They end with this process, whichever way that ends. */
export interface Cluster extends AsyncDisposable {
  readonly nodes: readonly ClusterNode[];
  /** Ends all of them and removes their folders. Nothing of them is left when this settles. */
  stop(): Promise<void>;
}

/**
 * Starts three private RabbitMQ nodes on loopback ports, each in a temporary folder, and waits until they are one cluster.
 *
 * @throws {Error} if RabbitMQ is not there and cannot be installed, or a node does not start
 */
export async function startCluster({ installation }: StartClusterOptions = {}): Promise<Cluster> {
  const found = installation ?? (await requireInstallation());
  const [epmd = 0, ...ports] = await freePorts(1 + 2 * SIZE);
  const cookie = newCookie();
  const members = Array.from({ length: SIZE }, (_, index) => `poker-${index + 1}@localhost`);
  const portMapper = runPortMapper(found, epmd);
  const nodes = members.map((name, index) => {
    const [amqp = 0, distribution = 0] = ports.slice(2 * index);
    const ownPorts = { amqp, distribution, epmd };
    return new RunningNode(
      createNodeFiles(found, ownPorts, { name, members, cookie }, { settings: SETTINGS }),
    );
  });
  const stop = async (): Promise<void> => {
    await Promise.all(nodes.map((node) => node.remove()));
    await portMapper.end();
  };
  try {
    await Promise.all(nodes.map((node) => node.restart()));
    await nodes[0]?.ctl('await_online_nodes', String(SIZE), '--timeout', String(JOIN_TIMEOUT_SECONDS));
  } catch (error) {
    await stop();
    throw error;
  }
  return { nodes, stop, [Symbol.asyncDispose]: stop };
}

class RunningNode implements ClusterNode {
  readonly name: string;
  readonly url: string;
  readonly #node: BrokerNode;
  #command: GuardedCommand | undefined;

  constructor(node: BrokerNode) {
    this.name = node.name;
    this.url = `amqp://guest:guest@127.0.0.1:${node.ports.amqp}`;
    this.#node = node;
  }

  ctl(...args: string[]): Promise<string> {
    return rabbitmqctl(this.#node, args);
  }

  async restart(): Promise<void> {
    await this.kill();
    this.#command = await runNode(this.#node);
  }

  async kill(): Promise<void> {
    await this.#command?.end({ keepFolder: true });
  }

  signal(signal: NodeJS.Signals): void {
    this.#command?.child.kill(signal);
  }

  async shutDown(): Promise<void> {
    this.#command?.child.kill('SIGTERM');
    await this.#command?.exited;
    await this.kill();
  }

  async remove(): Promise<void> {
    await this.#command?.end();
    rmSync(this.#node.folder, { recursive: true, force: true });
  }
}
