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
  /** Default: 1. */
  readonly nodes?: 1 | 3;
  /** Whether each of three nodes can be cut off from the others. */
  readonly isDivisible?: boolean;
  /** Of each of three nodes. Default: those of docs/operations.md. */
  readonly nodeSettings?: NodeSettings;
}

/** What workers are connected to: one node behind a network path that can be broken, or a cluster of three. */
export interface BrokerUnderChaos extends AsyncDisposable {
  /** The broker's own addresses, one for each node. */
  readonly urls: readonly string[];
  /** What workers are given: by way of the path that can be broken, if there is one. */
  readonly workerUrl: string;
  readonly node: Broker;
  readonly path: TcpProxy;
  readonly cluster: Cluster;
  readonly view: ClusterView;
  /** Cuts the network between a node and the others, as a firewall that drops packets: its clients still reach it. */
  isolate(node: Broker): void;
  /** Ends the isolation of all nodes. */
  reunite(): void;
}

/** What a row has not asked for is undefined, and breaks the row that uses it. */
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
