import type { Broker, Cluster } from '../../../scripts/broker/start-broker.ts';
import { until } from '../../../test/support/until.ts';

interface ListedConnection {
  /** The name of a connection, for example `127.0.0.1:43024 -> 127.0.0.1:26810`. */
  readonly name: string;
  readonly client_properties: readonly (readonly [name: string, type: string, value: unknown])[];
}

/** An Erlang expression for the queues that need this node for their majority. */
const CRITICAL_QUEUES = 'rabbit_upgrade_preparation:list_with_minimum_quorum_for_cli().';

const LOOKUP = '{ok, Queue} = rabbit_amqqueue:lookup(rabbit_misc:r(<<"/">>, queue, Name))';

export type ClusterView = ReturnType<typeof clusterView>;

export function clusterView({ nodes }: Cluster) {
  /** Asks the first node that answers. */
  const ask = async (...command: string[]): Promise<string> => {
    const failures: unknown[] = [];
    for (const node of nodes) {
      try {
        return await node.ctl(...command);
      } catch (error) {
        failures.push(error);
      }
    }
    throw new AggregateError(failures, 'no node answers');
  };
  /** Returns the leader node of each quorum queue, in the order of the queues. */
  const leadersOf = async (queues: readonly string[]): Promise<(Broker | undefined)[]> => {
    const leader = 'element(2, amqqueue:get_pid(Queue))';
    const listed = await ask('eval', `[begin ${LOOKUP}, ${leader} end || Name <- ${namesOf(queues)}].`);
    const leaders = [...listed.matchAll(/'([^']+)'/g)].map(([, name]) => name);
    return leaders.map((leading) => nodes.find(({ name }) => name === leading));
  };
  return {
    leadersOf,

    /** Returns the distinct nodes to which the worker is connected. */
    async serving(): Promise<Broker[]> {
      const listed = await ask('list_connections', '--formatter', 'json', 'name', 'client_properties');
      const connections = JSON.parse(listed) as ListedConnection[];
      const ports = connections.filter(isOfWorker).map(({ name }) => name.slice(name.lastIndexOf(':')));
      return nodes.filter(({ url }) => ports.some((port) => url.endsWith(port)));
    },

    /** Moves the leaders of all these quorum queues to one other node. */
    async moveLeaders(queues: readonly string[], to: Broker): Promise<void> {
      const transfer = `rabbit_quorum_queue:transfer_leadership(Queue, '${to.name}')`;
      await to.ctl('eval', `[begin ${LOOKUP}, ${transfer} end || Name <- ${namesOf(queues)}].`);
      const isThere = (leader: Broker | undefined): boolean => leader === to;
      await until('they have moved', async () => (await leadersOf(queues)).every(isThere));
    },

    /** Waits until every queue has all its members again, so that it survives the loss of any one member. */
    async isWhole(): Promise<void> {
      for (const node of nodes) {
        const isSpare = async () => (await node.ctl('eval', CRITICAL_QUEUES)).trim() === '[]';
        await until(`${node.name} can be spared`, isSpare, 60_000);
      }
    },
  };
}

/** Formats the names as an Erlang list of binaries. */
function namesOf(queues: readonly string[]): string {
  return `[${queues.map((queue) => `<<"${queue}">>`).join()}]`;
}

function isOfWorker({ client_properties: properties }: ListedConnection): boolean {
  return properties.some(
    ([name, , value]) => name === 'connection_name' && String(value).startsWith('poker-bridge'),
  );
}
