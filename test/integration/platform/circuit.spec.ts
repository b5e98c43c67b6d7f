import { beforeEach, describe, expect, it } from '@jest/globals';

import { until } from '../../support/until.ts';
import {
  buildClient,
  callWithin,
  CALLS,
  codeOf,
  createSession,
  failureOf,
  LIMITS,
  startPlatform,
} from './client.fixture.ts';
import { GAME, SESSION } from './documents.ts';
import {
  answers,
  answersAfter,
  answersTo,
  type Behaviour,
  type LocalPlatform,
  neverAnswers,
  resets,
} from './local-platform.ts';

let platform: LocalPlatform;

beforeEach(async () => {
  platform = await startPlatform();
});

const OPEN_MS = 1_000;
/** What one operation gets of the connections. */
const AT_ONCE = (LIMITS.connections * 3) / 4;
const limits = {
  maxAttempts: 1,
  circuit: { ...LIMITS.circuit, minimumCalls: 5, openMs: OPEN_MS },
};

const build = (more: Partial<typeof LIMITS> = {}) =>
  buildClient(platform.origin, { limits: { ...limits, ...more } });

async function fail(client: ReturnType<typeof build>['client'], times = 5): Promise<void> {
  for (let i = 0; i < times; i += 1) await failureOf(createSession(client));
}

async function halfOpen(client: ReturnType<typeof build>['client']): Promise<void> {
  await until('a probe may come', () => client.circuits()[0]?.state === 'half-open');
}

describe('a circuit', () => {
  it.each<[string, Behaviour]>([
    ['HTTP 503', answers(503)],
    ['reset', resets],
    ['timeout', neverAnswers],
  ])('opens by %s, says so, and makes no further calls', async (cause, behaviour) => {
    platform.always(behaviour);
    const { client, observer } = build({ attemptTimeoutMs: 400 });
    await fail(client);
    const call = callWithin();
    const error = await failureOf(createSession(client, call));
    expect(error.code).toBe('CIRCUIT_OPEN');
    expect(error.details).toEqual({ reason: cause });
    expect(error.retryAfterMs).toBeGreaterThan(0);
    expect(error.retryAfterMs).toBeLessThanOrEqual(OPEN_MS);
    expect([call.attempts, platform.requests.length]).toEqual([0, 5]);
    expect(observer.refusals).toEqual(['circuit-open']);
    expect(observer.circuitStates).toEqual(['default session.create open']);
    expect(client.circuits()).toEqual([
      {
        operator: 'default',
        operation: 'session.create',
        state: 'open',
        cause,
        retryAfterMs: expect.any(Number),
        lastUsedAtMs: expect.any(Number),
      },
    ]);
  });

  it.each([302, 403, 422, 429])('does not open after answers that are not failures: %d', async (status) => {
    platform.always(answers(status));
    const { client, observer } = build();
    await fail(client, 20);
    expect(platform.requests).toHaveLength(20);
    expect(observer.circuitStates).toEqual([]);
  });

  it('does not open by calls that were cut off by their deadline', async () => {
    platform.always(neverAnswers);
    const { client, observer } = build();
    await Promise.all(
      Array.from({ length: AT_ONCE }, () => failureOf(createSession(client, callWithin(500)))),
    );
    expect(observer).toMatchObject({
      circuitStates: [],
      results: Array.from({ length: AT_ONCE }, () => 'deadline'),
    });
  });

  it('is one for each operation: the lobby stays open', async () => {
    platform.always(answersTo('open-game', answers(200, GAME), answers(503)));
    const { client } = build();
    await fail(client);
    await expect(CALLS['game.open'](client)).resolves.toBeDefined();
    expect(client.circuits().map(({ operation, state }) => [operation, state])).toEqual([
      ['session.create', 'open'],
      ['game.open', 'closed'],
    ]);
  });

  it('closes after one probe', async () => {
    platform.always(answers(503));
    const { client, observer } = build();
    await fail(client);
    platform.always(answersAfter(50, answers(200, SESSION)));
    await halfOpen(client);
    const codes = await Promise.all(Array.from({ length: 5 }, () => codeOf(createSession(client))));
    expect(codes).toEqual(['OK', 'CIRCUIT_OPEN', 'CIRCUIT_OPEN', 'CIRCUIT_OPEN', 'CIRCUIT_OPEN']);
    await expect(createSession(client)).resolves.toBeDefined();
    const states = ['open', 'half-open', 'closed'].map((state) => `default session.create ${state}`);
    expect(observer.circuitStates).toEqual(states);
  });

  it('opens again by a failed probe, and is not closed by one that was cut off by its deadline', async () => {
    platform.always(answers(503));
    const { client } = build();
    await fail(client);
    await halfOpen(client);
    await fail(client, 1);
    expect(client.circuits()[0]?.state).toBe('open');
    platform.always(neverAnswers);
    await halfOpen(client);
    expect((await failureOf(createSession(client, callWithin(60)))).code).toBe('COMMAND_EXPIRED');
    expect(client.circuits()[0]?.state).toBe('half-open');
    platform.always(answers(200, SESSION));
    await expect(createSession(client)).resolves.toBeDefined();
  });

  it('is not closed by a late success of a call from before its opening', async () => {
    const opening = Promise.withResolvers<void>();
    platform
      .next((...exchange) => opening.promise.then(() => answers(200, SESSION)(...exchange)))
      .always(answers(503));
    const { client } = build();
    const late = createSession(client);
    await until('it is in flight', () => platform.requests.length === 1);
    await fail(client);
    expect(client.circuits()[0]?.state).toBe('open');
    opening.resolve();
    await expect(late).resolves.toBeDefined();
    expect(client.circuits()[0]?.state).toBe('open');
  });

  it('cuts off one call that is late, and none of the concurrent ones', async () => {
    const cutOff = Promise.withResolvers<void>();
    platform
      .next(neverAnswers)
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

  it('that opens between two attempts leaves the call the error of the first ones', async () => {
    platform.always(answers(503));
    const { client } = buildClient(platform.origin, { limits: { ...limits, maxAttempts: 10 } });
    const call = callWithin();
    const error = await failureOf(createSession(client, call));
    expect(error).toMatchObject({ code: 'PLATFORM_UNAVAILABLE', platform: { status: 503 } });
    expect(error.retryAfterMs).toBeGreaterThan(0);
    expect(call.attempts).toBe(5);
  });

  it('that opens rejects the calls that wait for a connection', async () => {
    platform.always(answersAfter(20, answers(503)));
    const { client } = buildClient(platform.origin, { limits: { ...limits, connections: 1 } });
    const codes = await Promise.all(Array.from({ length: 20 }, () => codeOf(createSession(client))));
    expect(codes.filter((code) => code === 'PLATFORM_UNAVAILABLE')).toHaveLength(5);
    expect(codes.filter((code) => code === 'CIRCUIT_OPEN')).toHaveLength(15);
  });
});
