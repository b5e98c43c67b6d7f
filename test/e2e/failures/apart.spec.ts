import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { apartPlatform, playerThatTakes } from '../../bench/apart/troubles.ts';
import type { ReceivedReply } from '../../support/bus-caller.ts';
import { healthy } from '../../support/platform-answers.ts';
import { answerJson } from '../../support/platform-stub.ts';
import { ServiceUnderTest } from '../../support/service-under-test.ts';
import { until } from '../../support/until.ts';
import type { WorkerProcess } from '../../../scripts/processes/worker-process.ts';

const PREFETCH = 40;
const CONNECTIONS = 16;
/** What games alone may take of the connections. */
const MOST_GAMES = 12;
/** A lane's compartment that moves nothing for a third of it is stuck. */
const DEADLINE_MS = 3_000;
const HOUR_MS = 3_600_000;
const folder = mkdtempSync(join(tmpdir(), 'apart-'));

/** Why the trouble of one player or operator does not hold up the rest; `npm run bench -- --apart` measures that. */
describe('what waits', () => {
  let service: ServiceUnderTest;
  let worker: WorkerProcess;

  beforeAll(async () => {
    const file = join(folder, 'operators.json');
    writeFileSync(file, JSON.stringify({ other: { clientId: 'other', secretKey: 'other-secret' } }));
    service = await ServiceUnderTest.start({
      behaviour: apartPlatform,
      variables: {
        INTERACTIVE_PREFETCH: String(PREFETCH),
        PLATFORM_CONNECTIONS: String(CONNECTIONS),
        INTERACTIVE_DEADLINE_MS: String(DEADLINE_MS),
        OPERATORS_FILE: file,
      },
    });
    worker = await service.worker();
  });

  afterAll(async () => {
    await service?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  });

  /** Commands that are not late in this test. */
  const send = (type: string, data: object, operator = 'default'): Promise<ReceivedReply[]> =>
    service.caller.send(type, data, { headers: { operator, 'x-deadline': Date.now() + HOUR_MS / 4 } });
  const session = () => send('session.create', { userId: randomUUID() });
  const stuckGame = (operator?: string) =>
    void send('game.open', { player: { id: playerThatTakes('never', randomUUID()) } }, operator);
  const metric = (name: string, operator: string) =>
    worker.metric(`poker_compartment_${name}`, `operator="${operator}",operation="game.open"`);

  it('in a burst is served, although it is more than a compartment may hold that is stuck', async () => {
    const replies = await Promise.all(Array.from({ length: 5 * PREFETCH }, session));
    expect(replies.flat().map(({ type }) => type)).toEqual(
      Array.from({ length: 5 * PREFETCH }, () => 'session.created'),
    );
  });

  it('for one operation leaves connections to the others', async () => {
    for (let game = 0; game < MOST_GAMES + 4; game += 1) stuckGame();
    await until('they wait', async () => (await metric('waiting', 'default')) === 4);
    expect(await metric('in_flight', 'default')).toBe(MOST_GAMES + 4);
    expect(await session()).toMatchObject([{ type: 'session.created' }]);
  });

  it('for one operator leaves the others their share of the lane', async () => {
    // Half of what the games above leave.
    const share = (PREFETCH - MOST_GAMES - 4) / 2;
    for (let game = 0; game < share; game += 1) stuckGame('other');
    await until('they are in flight', async () => (await metric('in_flight', 'other')) === share);
    await until('one of them is refused, since nothing moves', async () => {
      stuckGame('other');
      return (await metric('overflowed_total', 'other')) > 0;
    });
    const free = PREFETCH - MOST_GAMES - 4 - (await metric('in_flight', 'other'));
    expect(free).toBeGreaterThan(0);
    expect(await session()).toMatchObject([{ type: 'session.created' }]);
    expect(await worker.metric('poker_commands_total', 'outcome="OVERLOADED"')).toBeGreaterThan(0);
  });

  it('is shown by health, the fullest compartment first', async () => {
    const { compartments } = (await worker.health()).compartments;
    expect(compartments.map(({ operation }) => operation)).toEqual(['game.open', 'game.open']);
    const held = compartments.map(({ inFlight }) => inFlight);
    expect(held).toEqual(held.toSorted((a, b) => b - a));
  });
});

const MINIMUM_CALLS = 4;
const operatorsFolder = mkdtempSync(join(tmpdir(), 'worker-operators-'));

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
    const file = join(operatorsFolder, 'operators.json');
    writeFileSync(file, JSON.stringify({ other: { clientId: 'other', secretKey: 'other-secret' } }));
    worker = await service.worker({ OPERATORS_FILE: file });
  });

  beforeEach(() => {
    sick = new Set();
    service.caller.received.length = 0;
  });

  afterAll(async () => {
    await service[Symbol.asyncDispose]();
    rmSync(operatorsFolder, { recursive: true });
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
