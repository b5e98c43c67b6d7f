import { randomBytes } from 'node:crypto';

import { freePorts } from '../network.ts';
import { createNodeFiles } from './node-files.ts';
import { requireInstallation } from './require-installation.ts';
import { Broker, runPortMapper } from './start-broker.ts';

/** The least that loses a node and keeps a majority. */
const SIZE = 3;
const JOIN_TIMEOUT_SECONDS = 30;
/** As docs/operations.md has it set from RabbitMQ 4.3 on; older releases know no such setting. */
const SETTINGS = { settings: ['{consumer_disconnected_timeout, 1000}'] };

/** RabbitMQ nodes of our own that form one cluster. They end with this process, whichever way that ends. */
export type Cluster = Awaited<ReturnType<typeof startCluster>>;

/**
 * Starts three private RabbitMQ nodes on loopback ports, each in a temporary folder, and waits until they are one cluster.
 *
 * @throws {Error} if RabbitMQ is not there and cannot be brought, or a node does not start
 */
export async function startCluster() {
  const installation = await requireInstallation();
  const [epmd = 0, ...free] = await freePorts(1 + 2 * SIZE);
  const cookie = randomBytes(16).toString('hex');
  const members = Array.from({ length: SIZE }, (_, index) => `poker-${index + 1}@localhost`);
  const portMapper = runPortMapper(installation, epmd);
  const nodes = members.map((name, index) => {
    const [amqp = 0, distribution = 0] = free.slice(2 * index);
    const ports = { amqp, distribution, epmd, metrics: 0 };
    return new Broker(createNodeFiles(installation, ports, SETTINGS, { name, members, cookie }));
  });
  /** Ends all of them and removes their folders. Nothing of them is left when this settles. */
  const stop = async (): Promise<void> => {
    await Promise.all(nodes.map((node) => node.stop()));
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
