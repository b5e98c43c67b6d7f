import { setTimeout as sleep } from 'node:timers/promises';

import { describe, expect, it } from '@jest/globals';

import type { CallContext } from '#platform';

import { silent } from '../../support/platform-answers.ts';
import {
  buildClient,
  callWithin,
  CALLS,
  createSession,
  failureOf,
  listen,
  OPERATIONS,
  platform,
} from './client.ts';
import { SESSION } from './documents.ts';
import { answers, type Behaviour, drips, resets } from './local-platform.ts';

const MOST_LATE_MS = 900;

/**
 * Accepts connections and sends nothing, so that a TLS handshake never completes and the client keeps
 * connecting.
 */
const silentOrigin = () => listen(() => undefined);
/** A timer in this process, which a busy machine delays as much as the timers of a call. */
const later = (ms: number) => sleep(ms, { code: 'LATER' }, { ref: false });

/**
 * Expects a call to end at its deadline: not earlier, and only slightly later. undici's coarse timers would
 * take longer.
 */
async function expectExpired(
  call: CallContext,
  make: (call: CallContext) => Promise<unknown>,
  called: boolean,
) {
  const late = later(call.deadline.atMs - Date.now() + MOST_LATE_MS);
  const error = await Promise.race([failureOf(make(call)), late]);
  expect(error).toMatchObject({ code: 'COMMAND_EXPIRED', details: { called } });
  expect(Date.now() - call.deadline.atMs).toBeGreaterThanOrEqual(-2);
}

describe('a call ends at its deadline', () => {
  it.each<[string, Behaviour]>([
    ['if it is never answered', silent],
    ['if the answer arrives byte by byte', drips(200, SESSION)],
  ])('%s, in every operation', async (_, slow) => {
    platform.always(slow);
    const { client, observer } = buildClient();
    const calls = OPERATIONS.map((operation) =>
      expectExpired(callWithin(300), (call) => CALLS[operation](client, call), true),
    );
    await Promise.all(calls);
    expect(observer.results).toEqual(OPERATIONS.map(() => 'deadline'));
  });

  it('while connecting, which an AbortSignal would not interrupt', async () => {
    const { client } = buildClient({ origin: await silentOrigin() });
    await expectExpired(callWithin(300), (call) => createSession(client, call), true);
  });

  it('while waiting for a connection, without having been sent', async () => {
    platform.always(silent);
    const { client } = buildClient({ limits: { connections: 1 } });
    const first = createSession(client, callWithin(300 + 2 * MOST_LATE_MS));
    const second = callWithin(300);
    await expectExpired(second, (call) => createSession(client, call), false);
    expect([second.attempts, platform.requests.length]).toEqual([0, 1]);
    await failureOf(first);
  });

  it('if earlier attempts were lost', async () => {
    platform.next(resets).always(silent);
    const call = callWithin(600);
    await expectExpired(call, () => createSession(buildClient().client, call), true);
    expect(call.attempts).toBe(2);
  });

  it('without a request if it starts after the deadline', async () => {
    const error = await failureOf(CALLS['game.open'](buildClient().client, callWithin(-1)));
    expect(error).toMatchObject({ code: 'COMMAND_EXPIRED', details: { called: false } });
    expect(platform.requests).toEqual([]);
  });
});

describe('an attempt that times out', () => {
  it('ends at the attempt timeout while connecting, without having been sent', async () => {
    const limits = { attemptTimeoutMs: 150, maxAttempts: 2 };
    const { client, observer } = buildClient({ origin: await silentOrigin(), limits });
    const error = failureOf(createSession(client));
    expect(await Promise.race([error, later(1_200)])).toMatchObject({
      code: 'PLATFORM_UNAVAILABLE',
      details: { reason: 'timeout' },
    });
    expect(observer.results).toEqual(['timeout', 'timeout']);
  });

  it('releases its connection for the next attempt', async () => {
    platform.next(silent, answers(200, SESSION));
    const { client } = buildClient({ limits: { attemptTimeoutMs: 400, connections: 1 } });
    await expect(createSession(client)).resolves.toBeDefined();
    expect(platform.openSockets).toBe(1);
  });
});
