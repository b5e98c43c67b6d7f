import { once } from 'node:events';
import { createServer } from 'node:net';

import type { BrokerNode } from '../../../scripts/broker/node.ts';
import { TcpProxy } from '../../../test/support/tcp-proxy.ts';

const PORT2_RESP = 119;
const NORMAL_NODE = 77;
const VERSIONS = [0, 6, 0, 5];

/**
 * A network path from one node of a cluster to another, which can be broken. It has two listeners on an
 * address of its own. One is a port mapper that returns the port of the path. The other forwards to the
 * port on which the target node accepts connections of other nodes.
 */
export class NodeLink implements AsyncDisposable {
  readonly address: string;
  readonly to: BrokerNode;
  readonly path: TcpProxy;
  readonly #portMapper;

  private constructor(address: string, to: BrokerNode, path: TcpProxy) {
    this.address = address;
    this.to = to;
    this.path = path;
    const name = Buffer.from(to.name.split('@', 1).join());
    const [high, low] = [path.port >> 8, path.port & 0xff];
    const answer = [PORT2_RESP, 0, high, low, NORMAL_NODE, 0, ...VERSIONS, 0, name.length, ...name, 0, 0];
    this.#portMapper = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => socket.end(Buffer.from(answer)));
    });
  }

  static async open(address: string, to: BrokerNode): Promise<NodeLink> {
    const path = await TcpProxy.start(`tcp://127.0.0.1:${to.ports.distribution}`, undefined, address);
    const link = new NodeLink(address, to, path);
    link.#portMapper.listen(to.ports.epmd, address);
    await once(link.#portMapper, 'listening');
    return link;
  }

  /** True if this is the path to or from a node. */
  touches(node: BrokerNode): boolean {
    return this.to === node || Object.values(node.hosts).includes(this.address);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#portMapper.close();
    await this.path[Symbol.asyncDispose]();
  }
}
