import { rmSync } from 'node:fs';

import { freePorts } from '../network/free-ports.ts';
import type { GuardedCommand } from '../processes/guarded-command.ts';
import type { Installation } from './installation.ts';
import { type BrokerNode, createNodeFiles, type TlsListener } from './node-files.ts';
import { rabbitmqctl } from './rabbitmqctl.ts';
import { requireInstallation } from './require-installation.ts';
import { runNode, runPortMapper } from './run-node.ts';

export interface StartBrokerOptions {
  /** Of AMQP. Default: a free one. */
  readonly port?: number;
  /** Default: what is installed, or gets installed if that is possible. */
  readonly installation?: Installation;
  /** Of RabbitMQ, as Erlang terms such as `{max_message_size, 100000}`. */
  readonly settings?: readonly string[];
  /** Also listens for TLS, on a port of its own. */
  readonly tls?: Omit<TlsListener, 'port'>;
}

/** A RabbitMQ node of our own. It ends with this process, whichever way that ends. */
export interface Broker extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  /** Of the listener for TLS, if there is one. */
  readonly tlsPort: number;
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
 * @throws {Error} if RabbitMQ is not there and cannot be installed, or does not start
 */
export async function startBroker({
  port,
  installation,
  settings,
  tls,
}: StartBrokerOptions = {}): Promise<Broker> {
  const found = installation ?? (await requireInstallation());
  const [amqp = 0, distribution = 0, epmd = 0, tlsPort = 0] = await freePorts(4);
  const ports = { amqp: port ?? amqp, distribution, epmd };
  const node = createNodeFiles(found, ports, undefined, { settings, tls: tls && { ...tls, port: tlsPort } });
  let running: readonly GuardedCommand[] = await runWithPortMapper(node);

  const end = async (keepFolder: boolean): Promise<void> => {
    const ending = running;
    running = [];
    for (const command of ending) await command.end({ keepFolder });
  };
  const stop = async (): Promise<void> => {
    await end(false);
    rmSync(node.folder, { recursive: true, force: true });
  };
  return {
    url: `amqp://guest:guest@127.0.0.1:${node.ports.amqp}`,
    port: node.ports.amqp,
    tlsPort,
    node,
    ended: Promise.race(running.map(({ exited }) => exited)),
    ctl: (...args) => rabbitmqctl(node, args),
    stop,
    kill: () => end(true),
    restart: async () => {
      await end(true);
      running = await runWithPortMapper(node);
    },
    [Symbol.asyncDispose]: stop,
  };
}

/** The node first: it is ended first. */
async function runWithPortMapper(node: BrokerNode): Promise<readonly GuardedCommand[]> {
  const portMapper = runPortMapper(node.installation, node.ports.epmd);
  try {
    return [await runNode(node), portMapper];
  } catch (error) {
    await portMapper.end();
    throw error;
  }
}
