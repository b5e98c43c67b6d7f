import { setTimeout as sleep } from 'node:timers/promises';

import { type Broker, startBroker } from '../../../scripts/broker/start-broker.ts';
import { type Cluster, startCluster } from '../../../scripts/broker/start-cluster.ts';
import { ClusterView } from '../../e2e/cluster/cluster-view.ts';
import { TcpProxy } from '../../support/tcp-proxy.ts';

/** One node behind a network path that can be broken, or a cluster of three. */
export class BrokerUnderChaos implements AsyncDisposable {
  readonly #node: Broker | undefined;
  readonly #path: TcpProxy | undefined;
  readonly #cluster: Cluster | undefined;

  private constructor(node: Broker | undefined, path: TcpProxy | undefined, cluster: Cluster | undefined) {
    this.#node = node;
    this.#path = path;
    this.#cluster = cluster;
  }

  static async start(nodes: 1 | 3): Promise<BrokerUnderChaos> {
    if (nodes === 3) return new BrokerUnderChaos(undefined, undefined, await startCluster());
    const node = await startBroker();
    return new BrokerUnderChaos(node, await TcpProxy.start(node.url), undefined);
  }

  /** Of the broker itself, one for each node. */
  get urls(): readonly string[] {
    return this.#cluster?.nodes.map(({ url }) => url) ?? [this.node.url];
  }

  /** What workers are given: by way of the path that can be broken, if there is one. */
  get workerUrl(): string {
    return this.#path?.through(this.node.url) ?? this.urls.join();
  }

  get node(): Broker {
    return there(this.#node, 'one node');
  }

  get path(): TcpProxy {
    return there(this.#path, 'one node');
  }

  get cluster(): Cluster {
    return there(this.#cluster, 'a cluster');
  }

  get view(): ClusterView {
    return new ClusterView(this.cluster);
  }

  /** RabbitMQ can lose a quorum queue whose node is killed right after its declaration. */
  async isKept(): Promise<void> {
    await sleep(3_000);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#path?.[Symbol.asyncDispose]();
    await this.#node?.stop();
    await this.#cluster?.stop();
  }
}

function there<T>(part: T | undefined, what: string): T {
  if (part === undefined) throw new Error(`this row has not asked for ${what}`);
  return part;
}
