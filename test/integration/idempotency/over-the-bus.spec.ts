import { randomUUID } from 'node:crypto';

import { describe, expect, it } from '@jest/globals';

import { Gate, healthy } from '../../support/platform-answers.ts';
import { answerJson, sessionDocument } from '../../support/platform-stub.ts';
import { serviceForAll } from '../../support/suite-service.ts';
import { until } from '../../support/until.ts';
import type { WorkerUnderTest } from '../../support/worker-under-test.ts';

const gate = new Gate();
const service = serviceForAll({
  behaviour: gate.behind(healthy()),
  variables: { INTERACTIVE_PREFETCH: '20' },
  redis: true,
  workers: 2,
});
const redis = () => service.redis!;

async function redisOf(worker: WorkerUnderTest): Promise<unknown> {
  const { status, body } = await worker.get('/health');
  expect(status).toBe(200);
  return (JSON.parse(body) as { details: { redis: { status: string } } }).details.redis.status;
}

const lines = (worker: WorkerUnderTest, message: string) =>
  worker.log.filter(({ msg }) => msg === message).length;

describe('Two workers over one Redis', () => {
  it('run a command once if both have copies of it in flight, and give all copies one reply', async () => {
    const ids = Array.from({ length: 5 }, () => randomUUID());
    const copies = ids.flatMap((messageId) =>
      Array.from({ length: 4 }, () =>
        service.caller.send('session.create', { userId: messageId }, { messageId }),
      ),
    );
    await until('all are in flight, and none is run twice', () => gate.held === ids.length);
    gate.open();
    const replies = (await Promise.all(copies)).flat();
    expect(replies.map(({ type }) => type)).toEqual(copies.map(() => 'session.created'));
    expect(new Set(replies.map(({ text }) => text)).size).toBe(ids.length);
    expect(service.platform.requests).toHaveLength(ids.length);
    const replays = await Promise.all(service.workers.map((worker) => worker.metric('poker_replays_total')));
    expect(replays[0]! + replays[1]!).toBe(copies.length - ids.length);
  });

  it('give one reply to repeats if one worker is paused for 2.5 seconds with a call in flight', async () => {
    const held = new Gate();
    let calls = 0;
    service.platform.behaviour = held.behind((_, response) => {
      const text = JSON.stringify(sessionDocument('p-1'));
      answerJson(response, 200, text.replaceAll('auth-', `auth-${(calls += 1)}-`));
    });
    const messageId = randomUUID();
    const send = () => service.caller.sendForOne('session.create', { userId: 'p-1' }, { messageId });
    const first = send();
    await until('it is called', () => held.held === 1);
    const inFlight = await Promise.all(
      service.workers.map((worker) => worker.metric('poker_commands_in_flight', 'interactive')),
    );
    const paused = service.workers[inFlight.indexOf(1)]!;
    paused.kill('SIGSTOP');
    const repeats = Array.from({ length: 4 }, send);
    await until('the other worker has called, too', () => held.held === 2);
    held.open();
    await Promise.race(repeats);
    paused.kill('SIGCONT');
    const texts = (await Promise.all([first, ...repeats])).map(({ text }) => text);
    expect(new Set(texts).size).toBe(1);
    expect(calls).toBe(2);
  });

  it('continue without Redis, log that once, and reconnect', async () => {
    await redis().kill();
    for (const worker of service.workers) {
      await until('it is seen', async () => (await redisOf(worker)) === 'degraded');
      expect((await worker.get('/health/ready')).status).toBe(200);
    }
    await service.expectServed();
    await redis().restart();
    for (const worker of service.workers) {
      await until('it is back', async () => (await redisOf(worker)) === 'up');
      await until('it is logged', () => lines(worker, 'Redis connected; deduplication is shared') === 2);
      expect(lines(worker, 'Redis unavailable; deduplicating per worker')).toBe(1);
      expect(worker.stderr).toBe('');
    }
  });
});
