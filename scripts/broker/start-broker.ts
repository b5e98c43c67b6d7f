import { join } from 'node:path';

import { freePorts, isListening } from '../network.ts';
import { Program } from '../processes/program.ts';
import { type Installation, isSupported, requireInstallation } from './installation.ts';
import { type BrokerNode, createNode, nodeEnvironment, type NodeSettings, rabbitmqctl } from './node.ts';

const BOOT_TIMEOUT_MS = 90_000;
/** The least that loses a node and keeps a majority. */
const CLUSTER_SIZE = 3;
const JOIN_TIMEOUT_SECONDS = '30';
/** As docs/operations.md has it set from RabbitMQ 4.3 on; older releases know no such setting. */
const CLUSTER_SETTINGS = { settings: ['{consumer_disconnected_timeout, 1000}'] };

/** A broker that was started or found. Its disposal ends what was started, and leaves alone what was there before. */
export interface FoundBroker extends AsyncDisposable {
  readonly url: string;
  /** In words, for example `a private RabbitMQ 4.3.6`. */
  readonly origin: string;
  /** Settles when it ends by itself; never for one that somebody else looks after. */
  readonly ended: Promise<unknown>;
}

/** A private RabbitMQ node, alone or of a cluster. It ends with this process, whichever way that ends. */
export class Broker implements FoundBroker {
  /** For example `poker-1@localhost`. */
  readonly name: string;
  readonly url: string;
  readonly node: BrokerNode;
  readonly #portMapper: Program | undefined;
  #program: Program | undefined;

  /** @param portMapper ends with it; the folder of the node is in its folder */
  constructor(node: BrokerNode, portMapper?: Program) {
    this.name = node.name;
    this.url = `amqp://guest:guest@127.0.0.1:${node.ports.amqp}`;
    this.node = node;
    this.#portMapper = portMapper;
  }

  get origin(): string {
    const { version } = this.node.installation;
    return `a private RabbitMQ ${version}${isSupported(version) ? '' : ', which is not supported: 4.0 and newer are'}`;
  }

  /** Settles when the node that runs now has ended, whether or not on purpose. */
  get ended(): Promise<unknown> {
    return this.#program?.exited ?? Promise.resolve();
  }

  /** Runs rabbitmqctl against it: `ctl('list_queues', 'name', 'messages')`. About a second. */
  ctl(...args: string[]): Promise<string> {
    return rabbitmqctl(this.node, args);
  }

  /** Ends it as a power cut would, and keeps its data. */
  async kill(): Promise<void> {
    await this.#program?.[Symbol.asyncDispose]();
  }

  /** Sends a signal to it, such as SIGSTOP. */
  signal(signal: NodeJS.Signals): void {
    this.#program?.kill(signal);
  }

  /** Ends it in order, as an upgrade does, and keeps its data. */
  async shutDown(): Promise<void> {
    this.signal('SIGTERM');
    await this.ended;
    await this.kill();
  }

  /**
   * Starts it, or kills it and starts it again with its data and on its ports, and waits until it takes connections.
   *
   * @throws {Error} with the end of its log, if it ends before that
   */
  async restart(): Promise<void> {
    await this.kill();
    const { installation, ports } = this.node;
    const server = join(installation.home, 'sbin', 'rabbitmq-server');
    this.#program = new Program(server, [], nodeEnvironment(this.node));
    try {
      await this.#program.until('take connections', () => isListening(ports.amqp), BOOT_TIMEOUT_MS);
    } catch (error) {
      await this[Symbol.asyncDispose]();
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
    await this.#portMapper?.[Symbol.asyncDispose]();
  }
}

/** Starts Erlang's port mapper, through which nodes and rabbitmqctl find each other, on a loopback port. */
function runPortMapper({ path }: Installation, port: number): Program {
  return new Program('epmd', ['-port', String(port), '-address', '127.0.0.1'], { PATH: path });
}

export interface StartBrokerOptions extends NodeSettings {
  /** The AMQP port. Default: a free one. */
  readonly port?: number | undefined;
  /** Default: what is installed, or gets unpacked. */
  readonly installation?: Installation;
}

/**
 * Starts a private RabbitMQ node on loopback ports, in a temporary folder, and waits until it takes connections.
 *
 * @throws {Error} if RabbitMQ is not there and cannot be brought, or does not start
 */
export async function startBroker({
  port,
  installation,
  ...settings
}: StartBrokerOptions = {}): Promise<Broker> {
  const used = installation ?? (await requireInstallation());
  const [free = 0, distribution = 0, epmd = 0, metrics = 0] = await freePorts(4);
  const portMapper = runPortMapper(used, epmd);
  const ports = { amqp: port ?? free, distribution, epmd, metrics };
  const { folder } = portMapper;
  const node = createNode({ installation: used, name: 'poker@localhost', folder, ports }, settings);
  const broker = new Broker(node, portMapper);
  await broker.restart();
  return broker;
}

/** RabbitMQ nodes of our own that form one cluster. They end with this process, whichever way that ends. */
export type Cluster = Awaited<ReturnType<typeof startCluster>>;

/**
 * Starts three private RabbitMQ nodes on loopback ports, and waits until they are one cluster.
 *
 * @throws {Error} if RabbitMQ is not there and cannot be brought, or a node does not start
 */
export async function startCluster() {
  const installation = await requireInstallation();
  const [epmd = 0, ...free] = await freePorts(1 + 2 * CLUSTER_SIZE);
  const members = Array.from({ length: CLUSTER_SIZE }, (_, index) => `poker-${index + 1}@localhost`);
  await using parts = new AsyncDisposableStack();
  const portMapper = parts.use(runPortMapper(installation, epmd));
  const nodes = members.map((name, index) => {
    const [amqp = 0, distribution = 0] = free.slice(2 * index);
    const folder = join(portMapper.folder, name);
    const node = { installation, name, folder, ports: { amqp, distribution, epmd, metrics: 0 } };
    return parts.use(new Broker(createNode(node, CLUSTER_SETTINGS, members)));
  });
  await Promise.all(nodes.map((node) => node.restart()));
  await nodes[0]?.ctl('await_online_nodes', `${CLUSTER_SIZE}`, '--timeout', JOIN_TIMEOUT_SECONDS);
  const kept = parts.move();
  return { nodes, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}
