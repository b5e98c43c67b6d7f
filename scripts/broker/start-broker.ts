import { freePorts } from '../network.ts';
import type { Installation } from './installation.ts';
import { type BrokerNode, createNodeFiles, type TlsListener } from './node-files.ts';
import { PrivateNode, runPortMapper } from './private-node.ts';
import { requireInstallation } from './require-installation.ts';

export interface StartBrokerOptions {
  /** Of AMQP. Default: a free one. */
  readonly port?: number | undefined;
  /** Default: what is installed, or gets unpacked. */
  readonly installation?: Installation;
  /** Of RabbitMQ, as Erlang terms such as `{max_message_size, 100000}`. */
  readonly settings?: readonly string[];
  /** Also listens for TLS, on a port of its own. */
  readonly tls?: Omit<TlsListener, 'port'>;
  /** Also answers Prometheus, on a port of its own. Default false. */
  readonly hasMetrics?: boolean;
}

/** A broker that was started or found, for as long as it is needed. */
export interface FoundBroker {
  readonly url: string;
  /** In words, for example `a private RabbitMQ 4.3.6`. */
  readonly origin: string;
  /** Settles when it ends by itself; never for one that somebody else looks after. */
  readonly ended: Promise<void>;
  /** Ends what was started; leaves alone what was there before. */
  stop(): Promise<void>;
}

/** A RabbitMQ node of our own. It ends with this process, whichever way that ends. */
export interface Broker extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  /** Of the listener for TLS, if there is one. */
  readonly tlsPort: number;
  /** Of its metrics, if it has them. */
  readonly metricsPort: number;
  readonly node: BrokerNode;
  /** Settles when the node that was started first has ended, whether or not on purpose. */
  readonly ended: Promise<void>;
  /** Runs rabbitmqctl against it: `ctl('list_queues', 'name', 'messages')`. About a second. */
  ctl(...args: string[]): Promise<string>;
  /** Ends it and removes its folder. Nothing of it is left when this settles. */
  stop(): Promise<void>;
  /** Ends it as a power cut would, and keeps its data. */
  kill(): Promise<void>;
  /** Starts it again with its data and on its ports, after `kill`; kills it first if it still runs. */
  restart(): Promise<void>;
}

/**
 * Starts a private RabbitMQ node on loopback ports, in a temporary folder, and waits until it takes connections.
 *
 * @throws {Error} if RabbitMQ is not there and cannot be brought, or does not start
 */
export async function startBroker({
  port,
  installation,
  settings,
  tls,
  hasMetrics = false,
}: StartBrokerOptions = {}): Promise<Broker> {
  const found = installation ?? (await requireInstallation());
  const [amqp = 0, distribution = 0, epmd = 0, tlsPort = 0, metricsPort = 0] = await freePorts(5);
  const ports = { amqp: port ?? amqp, distribution, epmd };
  const node = createNodeFiles(found, ports, undefined, {
    settings,
    tls: tls && { ...tls, port: tlsPort },
    metricsPort: hasMetrics ? metricsPort : undefined,
  });
  const running = new PrivateNode(node);
  const portMapper = runPortMapper(found, epmd);
  const stop = async (): Promise<void> => {
    await running.remove();
    await portMapper.end();
  };
  try {
    await running.restart();
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    url: running.url,
    port: node.ports.amqp,
    tlsPort,
    metricsPort,
    node,
    ended: running.ended,
    ctl: (...args) => running.ctl(...args),
    stop,
    kill: () => running.kill(),
    restart: () => running.restart(),
    [Symbol.asyncDispose]: stop,
  };
}
