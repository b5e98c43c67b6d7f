import {
  type Broker,
  type Cluster,
  startBroker,
  startCluster,
} from '../../../scripts/broker/start-broker.ts';
import type { BrokerNode, NodeSettings } from '../../../scripts/broker/node.ts';
import { TcpProxy } from '../../../test/support/tcp-proxy.ts';
import { type ClusterView, clusterView } from './cluster-view.ts';
import { NodeLink } from './node-link.ts';

export interface BrokerWishes {
  /** The number of nodes. Default: 1. */
  readonly nodes?: 1 | 3;
  /** True if each of three nodes can be cut off from the others. */
  readonly isDivisible?: boolean;
  /** Settings of each of three nodes. Default: those of docs/operations.md. */
  readonly nodeSettings?: NodeSettings;
}

/** The broker of the workers: one node behind a network path that can be broken, or a cluster of three. */
export interface BrokerUnderChaos extends AsyncDisposable {
  /** The broker's own addresses, one for each node. */
  readonly urls: readonly string[];
  /** The addresses for workers, through the path that can be broken if there is one. */
  readonly workerUrl: string;
  readonly node: Broker;
  readonly path: TcpProxy;
  readonly cluster: Cluster;
  readonly view: ClusterView;
  /** Drops all packets between a node and the others, as a firewall does. Its clients still reach it. */
  isolate(node: Broker): void;
  /** Ends the isolation of all nodes. */
  reunite(): void;
}

/** Starts the broker. Members that a row did not request are undefined; a row that uses one of them fails. */
export async function startBrokerUnderChaos(wishes: BrokerWishes): Promise<BrokerUnderChaos> {
  await using parts = new AsyncDisposableStack();
  const found = wishes.nodes === 3 ? await clusterIn(parts, wishes) : await nodeIn(parts);
  const kept = parts.move();
  return { ...found, [Symbol.asyncDispose]: () => kept.disposeAsync() } as BrokerUnderChaos;
}

async function clusterIn(
  parts: AsyncDisposableStack,
  { isDivisible = false, nodeSettings }: BrokerWishes,
): Promise<Partial<BrokerUnderChaos>> {
  const links: NodeLink[] = [];
  const link = async (address: string, to: BrokerNode): Promise<NodeLink> => {
    const opened = await NodeLink.open(address, to);
    links.push(opened);
    return opened;
  };
  const cluster = parts.use(await startCluster({ ...(isDivisible && { link }), nodeSettings }));
  const urls = cluster.nodes.map(({ url }) => url);
  return {
    urls,
    workerUrl: urls.join(),
    cluster,
    view: clusterView(cluster),
    isolate: ({ node }) => links.filter((each) => each.touches(node)).forEach(({ path }) => path.stall()),
    reunite: () => links.forEach(({ path }) => path.resume()),
  };
}

async function nodeIn(parts: AsyncDisposableStack): Promise<Partial<BrokerUnderChaos>> {
  const node = parts.use(await startBroker());
  const path = parts.use(await TcpProxy.start(node.url));
  return { urls: [node.url], workerUrl: path.through(node.url), node, path };
}
