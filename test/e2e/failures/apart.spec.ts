import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { describe, expect, it } from '@jest/globals';

import { apartPlatform, playerThatTakes } from '../../../lab/bench/apart/faults.ts';
import type { ReceivedReply } from '../../support/bus-caller.ts';
import { folderForAll, serviceForAll } from '../../support/suite-service.ts';
import { until } from '../../support/until.ts';

const PREFETCH = 40;
const CONNECTIONS = 16;
/** The maximum of connections that games alone may use. */
const MOST_GAMES = 12;
/**
 * A compartment counts as stuck after a third of this time without progress. On a busy machine, there may be
 * no progress for a second.
 */
const DEADLINE_MS = 6_000;
const HOUR_MS = 3_600_000;
const OPERATORS = { other: { clientId: 'other', secretKey: 'other-secret' } };

/**
 * Compartments keep failures of one player or operator from affecting others; `npm run bench -- --apart`
 * measures this.
 */
describe('waiting commands', () => {
  const folder = folderForAll();
  const service = serviceForAll({
    behaviour: apartPlatform,
    variables: {
      INTERACTIVE_PREFETCH: String(PREFETCH),
      PLATFORM_CONNECTIONS: String(CONNECTIONS),
      INTERACTIVE_DEADLINE_MS: String(DEADLINE_MS),
      OPERATORS_FILE: folder.write('operators.json', JSON.stringify(OPERATORS)),
    },
    workers: 1,
  });

  /** Sends a command that must not be late in this test. */
  const send = (type: string, data: object, operator = 'default'): Promise<ReceivedReply[]> =>
    service.caller.send(type, data, { headers: { operator, 'x-deadline': Date.now() + HOUR_MS / 4 } });
  const session = () => send('session.create', { userId: randomUUID() });
  const stuckGame = (operator?: string) =>
    void send('game.open', { player: { id: playerThatTakes('never', randomUUID()) } }, operator);
  const metric = (name: string, operator: string) =>
    service.running.metric(`poker_compartment_${name}`, `operator="${operator}",operation="game.open"`);

  it('for one operation leave connections to other operations', async () => {
    for (let game = 0; game < MOST_GAMES + 4; game += 1) stuckGame();
    await until('they wait', async () => (await metric('waiting', 'default')) === 4);
    expect(await metric('in_flight', 'default')).toBe(MOST_GAMES + 4);
    expect(await service.running.metric('poker_admission_in_flight', 'game.open')).toBe(MOST_GAMES);
    expect(await session()).toMatchObject([{ type: 'session.created' }]);
  });

  it('for one operator leave other operators their share of the lane', async () => {
    // Half of the connections that the games above leave.
    const share = (PREFETCH - MOST_GAMES - 4) / 2;
    for (let game = 0; game < share; game += 1) stuckGame('other');
    await until('they are in flight', async () => (await metric('in_flight', 'other')) === share);
    // If they were sent sooner, more of them would fill the lane.
    await sleep(DEADLINE_MS / 3);
    const ageSeconds = await service.running.metric('poker_oldest_command_age_seconds');
    expect([ageSeconds > 1, ageSeconds < 60]).toEqual([true, true]);
    await until('one of them is refused, since nothing moves', async () => {
      stuckGame('other');
      return (await metric('overflowed_total', 'other')) > 0;
    });
    expect(PREFETCH - MOST_GAMES - 4 - (await metric('in_flight', 'other'))).toBeGreaterThan(0);
    expect(await session()).toMatchObject([{ type: 'session.created' }]);
    expect(await service.running.metric('poker_commands_total', 'outcome="OVERLOADED"')).toBeGreaterThan(0);
  });

  it('are shown by health, the fullest compartment first', async () => {
    const { compartments } = (await service.running.health()).compartments;
    expect(compartments.map(({ operation }) => operation)).toEqual(['game.open', 'game.open']);
    const held = compartments.map(({ inFlight }) => inFlight);
    expect(held).toEqual(held.toSorted((a, b) => b - a));
  });
});
