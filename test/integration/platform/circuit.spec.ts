import { describe, expect, it } from '@jest/globals';

import { silent } from '../../support/platform-answers.ts';
import { until } from '../../support/until.ts';
import {
  buildClient,
  callWithin,
  CALLS,
  codeOf,
  createSession,
  failureOf,
  LIMITS,
  platform,
} from './client.ts';
import { GAME, SESSION } from './documents.ts';
import { answers, answersAfter, answersTo, type Behaviour, resets } from './local-platform.ts';

const OPEN_MS = 1_000;
const MINIMUM_CALLS = 5;
/** The number of connections available to one operation. */
const AT_ONCE = (LIMITS.connections * 3) / 4;
const circuit = { ...LIMITS.circuit, minimumCalls: MINIMUM_CALLS, openMs: OPEN_MS };

const build = (more: Partial<typeof LIMITS> = {}) =>
  buildClient({ limits: { maxAttempts: 1, circuit, ...more } });

async function fail(client: ReturnType<typeof build>['client'], times = MINIMUM_CALLS): Promise<void> {
  await Promise.all(Array.from({ length: times }, () => failureOf(createSession(client))));
}

// libs/resilience tests the state machine; these tests cover which calls it observes and how it affects them.
describe('a circuit', () => {
  it.each<[string, Behaviour]>([
    ['HTTP 503', answers(503)],
    ['reset', resets],
    ['timeout', silent],
  ])(
    'opens after %s, reports it, makes no further calls, and does not affect the lobby',
    async (cause, behaviour) => {
      platform.always(answersTo('open-game', answers(200, GAME), behaviour));
      const { client, observer } = build(cause === 'timeout' ? { attemptTimeoutMs: 1_000 } : {});
      await fail(client);
      const call = callWithin();
      const error = await failureOf(createSession(client, call));
      expect(error).toMatchObject({ code: 'CIRCUIT_OPEN', details: { reason: cause } });
      expect(error.retryAfterMs).toBeGreaterThan(0);
      expect(error.retryAfterMs).toBeLessThanOrEqual(OPEN_MS);
      expect([call.attempts, platform.requests.length]).toEqual([0, MINIMUM_CALLS]);
      expect(observer.refusals).toEqual(['circuit-open']);
      expect(observer.circuitStates).toEqual(['default session.create open']);
      await CALLS['game.open'](client);
      const calls = { inFlight: 0, waiting: 0, retriesLeft: 100, lastUsedAtMs: expect.any(Number) };
      const open = { operation: 'session.create', state: 'open', cause, retryAfterMs: expect.any(Number) };
      expect(client.operations()).toMatchObject([
        { operator: 'default', ...open, ...calls },
        { operator: 'default', operation: 'game.open', state: 'closed', ...calls },
      ]);
    },
  );

  it.each([302, 403, 422, 429])('stays closed after answers that are not failures: %d', async (status) => {
    platform.always(answers(status));
    const { client, observer } = build();
    await fail(client, 20);
    expect([platform.requests.length, observer.circuitStates]).toEqual([20, []]);
  });

  it('opens after deadlines that expired when calls had taken as long as recent successes', async () => {
    platform.always(answersAfter(100, answers(200, SESSION)));
    const { client, observer } = build();
    await createSession(client);
    platform.always(silent);
    const cutOff = () => failureOf(createSession(client, callWithin(500)));
    const [first] = await Promise.all(Array.from({ length: AT_ONCE }, cutOff));
    expect(first).toMatchObject({ code: 'COMMAND_EXPIRED', details: { called: true, reason: 'timeout' } });
    expect(observer.circuitStates).toEqual(['default session.create open']);
    expect(client.operations()[0]).toMatchObject({ cause: 'timeout' });
  });

  it('stays closed after calls that expired within a second, if there were no successes', async () => {
    platform.always(silent);
    const { client, observer } = build();
    await Promise.all(
      Array.from({ length: AT_ONCE }, () => failureOf(createSession(client, callWithin(500)))),
    );
    expect([observer.circuitStates, observer.results]).toEqual([[], Array(AT_ONCE).fill('deadline')]);
  });

  it('lets one probe through, and is not closed by a probe that expired', async () => {
    platform.always(answers(503));
    const { client, observer } = build();
    await fail(client);
    platform.always(silent);
    await until('a probe may come', () => client.operations()[0]?.state === 'half-open');
    expect((await failureOf(createSession(client, callWithin(60)))).code).toBe('COMMAND_EXPIRED');
    expect(client.operations()[0]?.state).toBe('half-open');
    platform.always(answersAfter(50, answers(200, SESSION)));
    const codes = await Promise.all(Array.from({ length: 3 }, () => codeOf(createSession(client))));
    expect(codes).toEqual(['OK', 'CIRCUIT_OPEN', 'CIRCUIT_OPEN']);
    const states = ['open', 'half-open', 'closed'].map((state) => `default session.create ${state}`);
    expect(observer.circuitStates).toEqual(states);
  });

  it('expires one late call and completes the concurrent ones', async () => {
    const cutOff = Promise.withResolvers<void>();
    platform
      .next(silent)
      .always((...exchange) => cutOff.promise.then(() => answers(200, SESSION)(...exchange)));
    const { client } = build();
    const late = failureOf(createSession(client, callWithin(1_000)));
    await until('it is in flight', () => platform.requests.length === 1);
    const others = Array.from({ length: 8 }, () => createSession(client));
    await until('so are the others', () => platform.requests.length === 9);
    expect((await late).code).toBe('COMMAND_EXPIRED');
    cutOff.resolve();
    expect(await Promise.all(others)).toHaveLength(8);
    expect(platform.requests).toHaveLength(9);
  });

  it('keeps the error of the earlier attempts if it opens between two attempts', async () => {
    platform.always(answers(503));
    const { client } = build({ maxAttempts: 10 });
    const call = callWithin();
    const error = await failureOf(createSession(client, call));
    expect(error).toMatchObject({ code: 'PLATFORM_UNAVAILABLE', platform: { status: 503 } });
    expect(error.retryAfterMs).toBeGreaterThan(0);
    expect(call.attempts).toBe(MINIMUM_CALLS);
  });

  it('rejects calls that wait for a connection when it opens', async () => {
    platform.always(answersAfter(20, answers(503)));
    const { client } = build({ connections: 1 });
    const codes = await Promise.all(Array.from({ length: 20 }, () => codeOf(createSession(client))));
    expect(codes.filter((code) => code === 'PLATFORM_UNAVAILABLE')).toHaveLength(MINIMUM_CALLS);
    expect(codes.filter((code) => code === 'CIRCUIT_OPEN')).toHaveLength(20 - MINIMUM_CALLS);
  });
});
