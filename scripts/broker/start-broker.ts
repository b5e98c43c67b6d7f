import { join } from 'node:path';

import { freePorts } from '../network.ts';
import { Program } from '../processes/program.ts';
import { Server } from '../processes/server.ts';
import { type Installation, isSupported, requireInstallation } from './installation.ts';
import { type BrokerNode, createNode, nodeEnvironment, type NodeSettings, rabbitmqctl } from './node.ts';

/** The minimum number of nodes that keeps a majority after the loss of one node. */
const CLUSTER_SIZE = 3;
const JOIN_TIMEOUT_SECONDS = '30';
/**
 * The value recommended in docs/operations.md. It is set from RabbitMQ 4.3 on, because older releases do not
 * know this setting.
 */
const CLUSTER_SETTINGS: NodeSettings = {
  settings: ['{consumer_disconnected_timeout, 1000}'],
  others: { kernel: '{net_ticktime, 8}', aten: '{poll_interval, 1000}' },
};

/** A started or existing broker. Its disposal stops a started broker, and leaves an existing one running. */
export interface FoundBroker extends AsyncDisposable {
  readonly url: string;
  /** A description, for example `a private RabbitMQ 4.3.6`. */
  readonly origin: string;
  /** Settles when the broker ends by itself; never for an existing broker. */
  readonly ended: Promise<unknown>;
}

/**
 * A private RabbitMQ node, alone or in a cluster. Its data survives a stop, and is deleted by its disposal.
 */
export class Broker extends Server implements FoundBroker {
  readonly url: string;
  readonly node: BrokerNode;
  readonly #portMapper: Program | undefined;

  /**
   * @param portMapper Erlang's port mapper, which nodes and rabbitmqctl use to find each other; it ends with
   *   this node
   */
  constructor(node: BrokerNode, portMapper: Program | undefined) {
    const server = join(node.installation.home, 'sbin', 'rabbitmq-server');
    super(node.ports.amqp, () => new Program(server, [], nodeEnvironment(node)));
    this.url = `amqp://guest:guest@127.0.0.1:${this.port}`;
    this.node = node;
    this.#portMapper = portMapper;
  }

  /** For example `poker-1@localhost`. */
  get name(): string {
    return this.node.name;
  }

  get origin(): string {
    const { version } = this.node.installation;
    return `a private RabbitMQ ${version}${isSupported(version) ? '' : ', which is not supported: 4.0 and newer are'}`;
  }

  /** Runs rabbitmqctl against it: `ctl('list_queues', 'name', 'messages')`. About a second. */
  ctl(...args: string[]): Promise<string> {
    return rabbitmqctl(this.node, args);
  }

  /** Stops it gracefully, as in an upgrade, and keeps its data. */
  async shutDown(): Promise<void> {
    this.signal('SIGTERM');
    await this.ended;
    await this.kill();
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
    await this.#portMapper?.[Symbol.asyncDispose]();
  }
}

export interface StartBrokerOptions extends NodeSettings {
  /** The AMQP port. Default: a free one. */
  readonly port?: number | undefined;
  /** Default: the installed RabbitMQ, or an unpacked one. */
  readonly installation?: Installation;
}

/**
 * Starts a private RabbitMQ node on loopback ports, in a temporary folder, and waits until it accepts
 * connections.
 *
 * @throws {Error} if RabbitMQ is neither installed nor downloadable, or does not start
 */
export async function startBroker(options: StartBrokerOptions = {}): Promise<Broker> {
  const [broker] = await createNodes(1, options);
  return (broker as Broker).restart();
}

/** Private RabbitMQ nodes that form one cluster. They end with this process, even if it is killed. */
export type Cluster = Awaited<ReturnType<typeof startCluster>>;

export interface ClusterOptions {
  /** Default: those of docs/operations.md. */
  readonly nodeSettings?: NodeSettings | undefined;
  /**
   * Opens a path from a loopback address to a node. At this address, it must also answer for Erlang's port
   * mapper. Called for each ordered pair of nodes before they start. Default: nodes reach each other
   * directly.
   */
  readonly link?: (address: string, to: BrokerNode) => Promise<AsyncDisposable>;
}

/**
 * Starts three private RabbitMQ nodes, and waits until they are one cluster.
 *
 * @throws {Error} as `startBroker` does
 */
export async function startCluster({ link, nodeSettings = CLUSTER_SETTINGS }: ClusterOptions = {}) {
  await using parts = new AsyncDisposableStack();
  const nodes = await createNodes(CLUSTER_SIZE, nodeSettings, link !== undefined);
  for (const node of nodes) parts.use(node);
  for (const [from] of nodes.entries())
    for (const [to, { node }] of nodes.entries())
      if (link && to !== from) parts.use(await link(linkAddress(from, to), node));
  await Promise.all(nodes.map((node) => node.restart()));
  await nodes[0]?.ctl('await_online_nodes', `${CLUSTER_SIZE}`, '--timeout', JOIN_TIMEOUT_SECONDS);
  const kept = parts.move();
  return { nodes, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

/**
 * Starts nodes that discover each other. The first one, which is disposed of last, runs the port mapper of
 * all nodes.
 *
 * @param isLinked true if each node has a separate address for each of its peers
 */
async function createNodes(
  size: number,
  { port, installation, ...settings }: StartBrokerOptions,
  isLinked = false,
) {
  const used = installation ?? (await requireInstallation());
  const [epmd = 0, ...free] = await freePorts(1 + 3 * size);
  const indexes = Array.from({ length: size }, (_, index) => index);
  const hostOf = (index: number): string => (isLinked ? `node-${index + 1}` : 'localhost');
  const args = ['-port', String(epmd), '-address', '127.0.0.1'];
  const portMapper = new Program('epmd', args, { PATH: used.path });
  const names = indexes.map((index) => `poker-${index + 1}@${hostOf(index)}`);
  return names.map((name, index) => {
    const [amqp = 0, distribution = 0, metrics = 0] = free.slice(3 * index);
    const ports = { amqp: port ?? amqp, distribution, epmd, metrics };
    const addressOf = (to: number): string =>
      isLinked && to !== index ? linkAddress(index, to) : '127.0.0.1';
    const hosts = Object.fromEntries(indexes.map((to) => [hostOf(to), addressOf(to)]));
    const node = { installation: used, name, folder: join(portMapper.folder, name), ports, hosts };
    createNode(node, settings, size > 1 ? names : []);
    return new Broker(node, index === 0 ? portMapper : undefined);
  });
}

/** Returns the address at which one node reaches another if the path between them can be cut. */
function linkAddress(from: number, to: number): string {
  return `127.1.${from + 1}.${to + 1}`;
}
