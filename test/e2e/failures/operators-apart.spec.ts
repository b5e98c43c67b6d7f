import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { answerJson } from '../../support/platform-stub.ts';
import { healthy } from '../../support/platform-answers.ts';
import { ServiceUnderTest } from '../../support/service-under-test.ts';
import { until } from '../../support/until.ts';
import type { WorkerProcess } from '../../support/worker-process.ts';

const MINIMUM_CALLS = 4;
const folder = mkdtempSync(join(tmpdir(), 'worker-operators-'));

describe('two operators on one worker', () => {
  let service: ServiceUnderTest;
  let worker: WorkerProcess;
  /** The client ids that the platform does not answer. */
  let sick: ReadonlySet<string>;

  beforeAll(async () => {
    service = await ServiceUnderTest.start({
      behaviour: (request, response, socket) =>
        sick.has(request.url.searchParams.get('client') ?? '')
          ? answerJson(response, 503, { errors: [] })
          : healthy()(request, response, socket),
      variables: { CIRCUIT_MINIMUM_CALLS: String(MINIMUM_CALLS), PLATFORM_MAX_ATTEMPTS: '1' },
    });
    const file = join(folder, 'operators.json');
    writeFileSync(file, JSON.stringify({ other: { clientId: 'other', secretKey: 'other-secret' } }));
    worker = await service.worker({ OPERATORS_FILE: file });
  });
  beforeEach(() => {
    sick = new Set();
    service.caller.received.length = 0;
  });
  afterAll(async () => {
    await service[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  });

  const send = (operator: string, messageId: string) =>
    service.caller.send('session.create', { userId: messageId }, { messageId, headers: { operator } });

  it('may use one message id: an undeliverable reply is distinguished from a delivered one', async () => {
    const ids = Array.from({ length: 30 }, (_, index) => `same-${index}`);
    const replies = ids.map((messageId, index) => {
      const [gone, there] = index % 2 === 0 ? ['default', 'other'] : ['other', 'default'];
      service.caller.publish(
        'session.create',
        { userId: messageId },
        { messageId, headers: { operator: gone }, replyTo: 'nobody-has-this-queue' },
      );
      return send(there, messageId);
    });
    const arrived = (await Promise.all(replies)).flat();
    expect(arrived.map(({ messageId }) => messageId)).toEqual(ids.map((id) => `${id}:0`));
    const undelivered = service.name('replies.undelivered');
    await until('the others are kept', async () => {
      return (await service.caller.channel.checkQueue(undelivered)).messageCount >= ids.length;
    });
    const kept = await service.caller.drain(undelivered);
    expect(kept.map(({ properties }) => String(properties.messageId)).sort()).toEqual(
      ids.map((id) => `${id}:0`).sort(),
    );
    expect(service.caller.received).toHaveLength(ids.length);
  });

  it('have separate circuits: if the platform of one is down, the other is served', async () => {
    sick = new Set(['other']);
    const open = (operator: string) =>
      service.caller.send('game.open', { player: { id: 'p-1' } }, { headers: { operator } });
    for (let call = 0; call < MINIMUM_CALLS; call += 1) await open('other');
    expect((await open('other'))[0]?.body).toMatchObject({ code: 'CIRCUIT_OPEN' });
    expect(await open('default')).toMatchObject([{ type: 'game.opened' }]);
    const games = (await worker.health()).circuits.circuits.filter(
      ({ operation }) => operation === 'game.open',
    );
    expect(games.map(({ operator, state }) => [operator, state]).sort()).toEqual([
      ['default', 'closed'],
      ['other', 'open'],
    ]);
  });
});
