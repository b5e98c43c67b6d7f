import {
  type Broker,
  type Cluster,
  startBroker,
  startCluster,
} from '../../../scripts/broker/start-broker.ts';
import { TcpProxy } from '../../../test/support/tcp-proxy.ts';
import { type ClusterView, clusterView } from './cluster-view.ts';

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
}

/** What a row has not asked for is undefined, and breaks the row that uses it. */
export async function startBrokerUnderChaos(nodes: 1 | 3): Promise<BrokerUnderChaos> {
  await using parts = new AsyncDisposableStack();
  const found = nodes === 3 ? await clusterIn(parts) : await nodeIn(parts);
  const kept = parts.move();
  return { ...found, [Symbol.asyncDispose]: () => kept.disposeAsync() } as BrokerUnderChaos;
}

async function clusterIn(parts: AsyncDisposableStack): Promise<Partial<BrokerUnderChaos>> {
  const cluster = parts.use(await startCluster());
  const urls = cluster.nodes.map(({ url }) => url);
  return { urls, workerUrl: urls.join(), cluster, view: clusterView(cluster) };
}

async function nodeIn(parts: AsyncDisposableStack): Promise<Partial<BrokerUnderChaos>> {
  const node = parts.use(await startBroker());
  const path = parts.use(await TcpProxy.start(node.url));
  return { urls: [node.url], workerUrl: path.through(node.url), node, path };
}
