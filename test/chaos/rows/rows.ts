import type { Row } from '../row.ts';
import { brokerKill, memoryAlarm } from './broker.ts';
import { clockForward } from './clock.ts';
import { clusterRestart, followerKill, leaderKill, nodePause } from './cluster.ts';
import { forcedCloses, stalledLink, tcpCuts } from './connections.ts';
import { platformDown, platformHangs, platformResets } from './platform.ts';
import { poison } from './poison.ts';
import { redisKill } from './redis.ts';
import { replyQueueDeleted, replyQueueFull } from './replies.ts';
import { rollingRestart } from './rolling-restart.ts';
import { workerKill } from './worker-kill.ts';

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
