import { CLUSTER_ROWS } from './cluster.ts';
import { SURROUNDINGS_ROWS, WORKER_ROWS } from './one-node.ts';
import type { Row } from './row.ts';

/** In the order in which they are played. */
export const ROWS: readonly Row[] = [...WORKER_ROWS, ...CLUSTER_ROWS, ...SURROUNDINGS_ROWS];
