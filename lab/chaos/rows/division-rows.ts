import type { Broker } from '../../../scripts/broker/start-broker.ts';
import { WorkerUnderTest } from '../../../test/support/worker-under-test.ts';
import type { StageWishes } from '../stage/chaos-stage.ts';
import { outage, type Row } from './row.ts';

/** Each worker connects to another node first, and the caller to the last one. */
const spread: StageWishes = {
  nodes: 3,
  isDivisible: true,
  start: (number, variables) => {
    const urls = variables['AMQP_URL']?.split(',') ?? [];
    return new WorkerUnderTest({
      ...variables,
      AMQP_URL: [...urls.slice(number), ...urls.slice(0, number)].join(),
    });
  },
};
/**
 * Longer than the other nodes need to declare the node down, and far longer than its clients need to notice.
 */
const PARTITION_MS = 25_000;

/** A cluster that loses some of its nodes, or the network between them. */
export const DIVISION_ROWS: readonly Row[] = [
  outage({
    name: 'partition-minority',
    title: 'three nodes: that of one worker cut off from the others for 25 s, while its clients reach it',
    wishes: spread,
    longestMs: 15_000,
    what: 'a node is cut off',
    downMs: PARTITION_MS,
    breaks: ({ broker }) => broker.isolate(broker.cluster.nodes[0]!),
    mends: ({ broker }) => broker.reunite(),
  }),
  {
    name: 'majority-lost',
    title: 'three nodes: two killed for 20 s',
    wishes: spread,
    disturb: (stage) => {
      const [, ...two] = stage.broker.cluster.nodes;
      const each = (act: (node: Broker) => Promise<unknown>) => Promise.all(two.map(act));
      return stage.outage(
        'two nodes killed',
        20_000,
        () => each((node) => node.kill()),
        () => each((node) => node.restart()),
      );
    },
  },
];
