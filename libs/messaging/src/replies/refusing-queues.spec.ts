import { expect, it } from '@jest/globals';

import { RefusingQueues } from './refusing-queues.ts';

it('remembers a refusal for five seconds', () => {
  let nowMs = 0;
  const queues = new RefusingQueues(() => nowMs);
  queues.refused('lobby', 'REPLY_QUEUE_FULL');
  nowMs = 4_999;
  expect([queues.reasonOf('lobby'), queues.reasonOf('other')]).toEqual(['REPLY_QUEUE_FULL', undefined]);
  nowMs = 5_000;
  expect(queues.reasonOf('lobby')).toBeUndefined();
});

it('remembers 1,000 queues, those that refused last', () => {
  const queues = new RefusingQueues(() => 0);
  queues.refused('first', 'REPLY_QUEUE_FULL');
  for (let queue = 1; queue < 1_000; queue += 1) queues.refused(`queue-${queue}`, 'REPLY_QUEUE_FULL');
  queues.refused('first', 'REPLY_QUEUE_UNREACHABLE');
  queues.refused('last', 'REPLY_QUEUE_FULL');
  expect(['first', 'queue-1', 'queue-2', 'last'].map((queue) => queues.reasonOf(queue))).toEqual([
    'REPLY_QUEUE_UNREACHABLE',
    undefined,
    'REPLY_QUEUE_FULL',
    'REPLY_QUEUE_FULL',
  ]);
});
