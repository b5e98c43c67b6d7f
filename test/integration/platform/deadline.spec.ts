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

/** Accepts connections and sends nothing, so that a TLS handshake never ends: the client stays connecting. */
const silentOrigin = () => listen(() => undefined);
/** A timer of this process: a busy machine delays it as much as those of a call. */
const later = (ms: number) => sleep(ms, { code: 'LATER' }, { ref: false });

/** The call ends at its deadline, not before and hardly after; undici's coarse timers would take longer. */
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

describe('at its deadline a call ends', () => {
  it.each<[string, Behaviour]>([
    ['that is never answered', silent],
    ['whose answer drips', drips(200, SESSION)],
  ])('%s, whatever it asks for', async (_, slow) => {
    platform.always(slow);
    const { client, observer } = buildClient();
    const calls = OPERATIONS.map((operation) =>
      expectExpired(callWithin(300), (call) => CALLS[operation](client, call), true),
    );
    await Promise.all(calls);
    expect(observer.results).toEqual(OPERATIONS.map(() => 'deadline'));
  });

  it('that is connecting, which an AbortSignal would not settle', async () => {
    const { client } = buildClient({ origin: await silentOrigin() });
    await expectExpired(callWithin(300), (call) => createSession(client, call), true);
  });

  it('that waits for a connection, without having been sent', async () => {
    platform.always(silent);
    const { client } = buildClient({ limits: { connections: 1 } });
    const first = createSession(client, callWithin(300 + 2 * MOST_LATE_MS));
    const second = callWithin(300);
    await expectExpired(second, (call) => createSession(client, call), false);
    expect([second.attempts, platform.requests.length]).toEqual([0, 1]);
    await failureOf(first);
  });

  it('whose earlier attempts were lost', async () => {
    platform.next(resets).always(silent);
    const call = callWithin(600);
    await expectExpired(call, () => createSession(buildClient().client, call), true);
    expect(call.attempts).toBe(2);
  });

  it('that begins after it, without having been made', async () => {
    const error = await failureOf(CALLS['game.open'](buildClient().client, callWithin(-1)));
    expect(error).toMatchObject({ code: 'COMMAND_EXPIRED', details: { called: false } });
    expect(platform.requests).toEqual([]);
  });
});

describe('an attempt that is too slow', () => {
  it('while connecting was not sent, and ends exactly at the attempt timeout', async () => {
    const limits = { attemptTimeoutMs: 150, maxAttempts: 2 };
    const { client, observer } = buildClient({ origin: await silentOrigin(), limits });
    const error = failureOf(createSession(client));
    expect(await Promise.race([error, later(1_200)])).toMatchObject({
      code: 'PLATFORM_UNAVAILABLE',
      details: { reason: 'timeout' },
    });
    expect(observer.results).toEqual(['timeout', 'timeout']);
  });

  it('does not keep its connection from the next one', async () => {
    platform.next(silent, answers(200, SESSION));
    const { client } = buildClient({ limits: { attemptTimeoutMs: 400, connections: 1 } });
    await expect(createSession(client)).resolves.toBeDefined();
    expect(platform.openSockets).toBe(1);
  });
});
