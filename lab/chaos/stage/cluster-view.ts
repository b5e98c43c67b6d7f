import type { Broker, Cluster } from '../../../scripts/broker/start-broker.ts';
import { until } from '../../../test/support/until.ts';

interface ListedConnection {
  /** For example `127.0.0.1:43024 -> 127.0.0.1:26810`. */
  readonly name: string;
  readonly client_properties: readonly (readonly [name: string, type: string, value: unknown])[];
}

/** The queues that need this node for their majority. */
const CRITICAL_QUEUES = 'rabbit_upgrade_preparation:list_with_minimum_quorum_for_cli().';

export type ClusterView = ReturnType<typeof clusterView>;

export function clusterView({ nodes }: Cluster) {
  /** Asks the first node that answers. */
  const list = async (command: string, ...columns: string[]): Promise<unknown> => {
    const failures: unknown[] = [];
    for (const node of nodes) {
      try {
        return JSON.parse(await node.ctl(command, '--formatter', 'json', ...columns));
      } catch (error) {
        failures.push(error);
      }
    }
    throw new AggregateError(failures, 'no node answers');
  };
  /** The nodes that lead quorum queues, in the order of the queues. */
  const leadersOf = async (queues: readonly string[]): Promise<(Broker | undefined)[]> => {
    const listed = (await list('list_queues', 'name', 'leader')) as { name: string; leader: string }[];
    const leaders = new Map(listed.map(({ name, leader }) => [name, leader]));
    return queues.map((queue) => nodes.find(({ name }) => name === leaders.get(queue)));
  };
  return {
    leadersOf,

    /** The nodes to which the connections of the worker go, each once. */
    async serving(): Promise<Broker[]> {
      const connections = (await list('list_connections', 'name', 'client_properties')) as ListedConnection[];
      const ports = connections.filter(isOfWorker).map(({ name }) => name.slice(name.lastIndexOf(':')));
      return nodes.filter(({ url }) => ports.some((port) => url.endsWith(port)));
    },

    /** Moves the leaders of the quorum queues to other nodes, one node for all of them. */
    async moveLeaders(queues: readonly string[], to: Broker): Promise<void> {
      const names = queues.map((queue) => `<<"${queue}">>`);
      await to.ctl(
        'eval',
        `[begin {ok, Queue} = rabbit_amqqueue:lookup(rabbit_misc:r(<<"/">>, queue, Name)), ` +
          `rabbit_quorum_queue:transfer_leadership(Queue, '${to.name}') end || Name <- [${names.join()}]].`,
      );
      const isThere = (leader: Broker | undefined): boolean => leader === to;
      await until('they have moved', async () => (await leadersOf(queues)).every(isThere));
    },

    /** Waits until every queue has all its members again, so that it can lose any one of them. */
    async isWhole(): Promise<void> {
      for (const node of nodes) {
        const isSpare = async () => (await node.ctl('eval', CRITICAL_QUEUES)).trim() === '[]';
        await until(`${node.name} can be spared`, isSpare, 60_000);
      }
    },
  };
}

function isOfWorker({ client_properties: properties }: ListedConnection): boolean {
  return properties.some(
    ([name, , value]) => name === 'connection_name' && String(value).startsWith('poker-bridge'),
  );
}
