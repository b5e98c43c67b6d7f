import type { Row } from '../row.ts';
import { brokerKill, memoryAlarm } from './broker.ts';
import { clockForward, poison, redisKill, rollingRestart, workerKill } from './processes.ts';
import { clusterRestart, followerKill, leaderKill, nodePause } from './cluster.ts';
import { forcedCloses, stalledLink, tcpCuts } from './connections.ts';
import { platformDown, platformHangs, platformResets } from './platform.ts';
import { replyQueueDeleted, replyQueueFull } from './replies.ts';

/** In the order in which they are played. */
export const ROWS: readonly Row[] = [
  workerKill,
  rollingRestart,
  tcpCuts,
  stalledLink,
  forcedCloses,
  brokerKill,
  memoryAlarm,
  leaderKill,
  followerKill,
  nodePause,
  clusterRestart,
  redisKill,
  replyQueueDeleted,
  replyQueueFull,
  platformResets,
  platformHangs,
  platformDown,
  poison,
  clockForward,
];
