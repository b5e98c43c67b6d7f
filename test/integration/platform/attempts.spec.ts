import { setTimeout as sleep } from 'node:timers/promises';

import { beforeEach, describe, expect, it } from '@jest/globals';

import {
  buildClient,
  type CalledOperation,
  callWithin,
  CALLS,
  elapsedMs,
  failureOf,
  OPERATIONS,
  startPlatform,
} from './client.fixture.ts';
import { AD_HOC_REPORT, errors, GAME, RAKE_REPORT, SESSION } from './documents.ts';
import { answers, drips, type LocalPlatform, neverAnswers, resets, truncates } from './local-platform.ts';

let platform: LocalPlatform;

beforeEach(async () => {
  platform = await startPlatform();
});

const SUCCESS = {
  'session.create': answers(200, SESSION),
  'game.open': answers(200, GAME),
  'report.ad-hoc.fetch': answers(200, AD_HOC_REPORT),
  'report.rake.fetch': answers(200, RAKE_REPORT),
} as const;

const INTERACTIVE = ['session.create', 'game.open'] as const;
const REPORTS = ['report.ad-hoc.fetch', 'report.rake.fetch'] as const;

/** An origin that refuses connections. */
async function refusingOrigin(): Promise<string> {
  const gone = await startPlatform();
  const { origin } = gone;
  await gone.close();
  return origin;
}

describe('a transient failure', () => {
  it.each(OPERATIONS)('is retried until it has passed, each attempt signed: %s', async (operation) => {
    platform.next(answers(503), answers(500, errors(500, {}))).always(SUCCESS[operation]);
    const { client, observer } = buildClient(platform.origin);
    const call = callWithin();
    await expect(CALLS[operation](client, call)).resolves.toBeDefined();
    expect(call.attempts).toBe(3);
    expect(observer).toMatchObject({ results: ['5xx', '5xx', '2xx'], retries: 2 });
    for (const { headers } of platform.received) expect(headers['sign']).toMatch(/^[0-9a-f]{64}$/);
  });

  it.each(OPERATIONS)('ends the call when the attempts are used up: %s', async (operation) => {
    platform.always(answers(503));
    const call = callWithin();
    const error = await failureOf(CALLS[operation](buildClient(platform.origin).client, call));
    expect(error).toMatchObject({ code: 'PLATFORM_UNAVAILABLE', platform: { status: 503 } });
    expect([call.attempts, platform.received.length]).toEqual([3, 3]);
  });

  it.each<[string, () => string, number]>([
    ['seconds', () => '1', 1000],
    // A date has no parts of a second.
    ['a date', () => new Date(Date.now() + 2000).toUTCString(), 900],
  ])('is retried no sooner than Retry-After asks, by %s', async (_form, retryAfter, atLeastMs) => {
    platform.next(answers(429, '', { 'retry-after': retryAfter() }), SUCCESS['session.create']);
    const { client } = buildClient(platform.origin);
    const took = await elapsedMs(CALLS['session.create'](client, callWithin()));
    expect(took).toBeGreaterThan(atLeastMs - 10);
    expect(platform.received).toHaveLength(2);
  });

  it('is given up at once when Retry-After passes the deadline', async () => {
    for (const [status, code] of [
      [429, 'RATE_LIMITED'],
      [503, 'PLATFORM_UNAVAILABLE'],
    ] as const) {
      // Shorter than the longest pause, which alone would be a reason to give up.
      platform.next(answers(status, '', { 'retry-after': '25' }));
      const call = callWithin(20_000);
      const failure = failureOf(CALLS['session.create'](buildClient(platform.origin).client, call));
      // Both timers are of this process: a busy machine delays one as much as the other.
      expect(await Promise.race([failure, sleep(10_000, { code: 'WAITS' }, { ref: false })])).toMatchObject({
        code,
        retryAfterMs: 25_000,
      });
      expect(call.attempts).toBe(1);
    }
  });
});

describe('a call that was answered for good', () => {
  it.each([200, 302, 400, 401, 403, 404, 422])('is not retried: %d', async (status) => {
    platform.always(answers(status, '<html>'));
    const call = callWithin();
    await failureOf(CALLS['session.create'](buildClient(platform.origin).client, call));
    expect([call.attempts, platform.received.length]).toEqual([1, 1]);
  });
});

describe('a call that was not sent', () => {
  it.each(OPERATIONS)('is retried, and ends as unavailable: %s', async (operation) => {
    const { client, observer } = buildClient(await refusingOrigin());
    const call = callWithin();
    const error = await failureOf(CALLS[operation](client, call));
    expect(error).toMatchObject({ code: 'PLATFORM_UNAVAILABLE', details: { reason: 'refused' } });
    expect(call.attempts).toBe(3);
    expect(observer.results).toEqual(['refused', 'refused', 'refused']);
  });

  it('has no address, or no TLS if TLS is required', async () => {
    const credentials = { baseUrl: 'http://no-such-host.invalid/' };
    const { client } = buildClient(platform.origin, { credentials, limits: { maxAttempts: 1 } });
    const error = await failureOf(CALLS['session.create'](client, callWithin()));
    expect(error).toMatchObject({ code: 'PLATFORM_UNAVAILABLE', details: { reason: 'unreachable' } });
    const overTls = { baseUrl: platform.origin.replace('http:', 'https:') };
    const tls = buildClient(platform.origin, { credentials: overTls, limits: { maxAttempts: 1 } });
    expect(await failureOf(CALLS['session.create'](tls.client, callWithin()))).toMatchObject({
      code: 'PLATFORM_UNAVAILABLE',
      details: { reason: 'unreachable' },
    });
  });
});

const LOSSES = [
  ['the connection ends without an answer', 'reset', () => resets],
  ['the answer is cut off', 'truncated', (document: unknown) => truncates(200, document)],
  ['the answer never comes', 'timeout', () => neverAnswers],
  ['the answer drips', 'timeout', (document: unknown) => drips(200, document)],
  [
    'the answer is not HTTP',
    'malformed',
    () =>
      ({ socket }: { socket: { end(text: string): void } }) =>
        socket.end('220 mail.example ESMTP\r\n'),
  ],
] as const;

describe.each(LOSSES)('a call, if %s', (_name, reason, loseWith) => {
  const loss = loseWith(SESSION);
  const limits = reason === 'timeout' ? { attemptTimeoutMs: 400 } : {};

  it('is retried once if it creates a session, and its outcome is unknown', async () => {
    platform.always(loss);
    const { client, observer } = buildClient(platform.origin, { limits: { ...limits, maxAttempts: 5 } });
    const call = callWithin();
    const error = await failureOf(CALLS['session.create'](client, call));
    expect(error).toMatchObject({ code: 'OUTCOME_UNKNOWN', details: { reason } });
    expect([call.attempts, platform.received.length]).toEqual([2, 2]);
    expect(observer.results).toEqual([reason, reason]);
  });

  it('is retried if it opens a game, which is the same game', async () => {
    platform.always(loss);
    const { client } = buildClient(platform.origin, { limits });
    const call = callWithin();
    expect((await failureOf(CALLS['game.open'](client, call))).code).toBe('OUTCOME_UNKNOWN');
    expect(call.attempts).toBe(3);
  });

  it('is retried once if it opens a game without a session id, which may be another game', async () => {
    platform.always(loss);
    const { client } = buildClient(platform.origin, { limits });
    const call = callWithin();
    const error = await failureOf(client.openGame({ player: { id: 'u-1' } }, call));
    expect([error.code, call.attempts]).toEqual(['OUTCOME_UNKNOWN', 2]);
  });

  it.each(REPORTS)('is retried if it reads, and ends as unavailable: %s', async (operation) => {
    platform.always(loss);
    const { client } = buildClient(platform.origin, { limits });
    const call = callWithin();
    const error = await failureOf(CALLS[operation](client, call));
    expect(error).toMatchObject({ code: 'PLATFORM_UNAVAILABLE', details: { reason } });
    expect(call.attempts).toBe(3);
  });

  it.each(OPERATIONS)('succeeds with the next attempt: %s', async (operation) => {
    platform.next(loss).always(SUCCESS[operation]);
    const { client } = buildClient(platform.origin, { limits });
    await expect(CALLS[operation](client, callWithin())).resolves.toBeDefined();
  });
});

describe('after an attempt whose outcome is unknown', () => {
  it('a taken nickname may be our own doing, and the error says so', async () => {
    const taken = errors(422, { detail: 'A Player with this username already exists in the system.' });
    platform.next(resets, answers(422, taken));
    const error = await failureOf(CALLS['game.open'](buildClient(platform.origin).client, callWithin()));
    expect(error).toMatchObject({ code: 'NICKNAME_TAKEN', details: { earlierAttemptUnknown: true } });
  });

  it('a failure that was answered is the error of the call', async () => {
    platform.next(resets, answers(503));
    const error = await failureOf(CALLS['session.create'](buildClient(platform.origin).client, callWithin()));
    expect(error).toMatchObject({
      code: 'PLATFORM_UNAVAILABLE',
      platform: { status: 503 },
      details: { earlierAttemptUnknown: true },
    });
  });

  it('one that was not sent does not hide it', async () => {
    const doomed = await startPlatform();
    doomed.always(({ socket }) => {
      socket.destroy();
      void doomed.close();
    });
    const error = await failureOf(CALLS['game.open'](buildClient(doomed.origin).client, callWithin()));
    expect(error).toMatchObject({ code: 'OUTCOME_UNKNOWN', details: { reason: 'reset' } });
  });
});

describe('a failure whose status has arrived', () => {
  it('is classified by its status, although its text drips or breaks off', async () => {
    const { client } = buildClient(platform.origin, { limits: { attemptTimeoutMs: 400 } });
    const taken = errors(422, { detail: 'Currency not found' });
    platform.next(drips(422, taken), truncates(404, taken));
    expect((await failureOf(CALLS['session.create'](client, callWithin()))).code).toBe('INCORRECT_DATA');
    expect((await failureOf(CALLS['session.create'](client, callWithin()))).code).toBe('NOT_FOUND');
    expect(platform.received).toHaveLength(2);
  });
});

it.each(INTERACTIVE)('%s makes one attempt if only one is allowed', async (operation: CalledOperation) => {
  platform.always(resets);
  const call = callWithin();
  const { client } = buildClient(platform.origin, { limits: { maxAttempts: 1 } });
  expect((await failureOf(CALLS[operation](client, call))).code).toBe('OUTCOME_UNKNOWN');
  expect(call.attempts).toBe(1);
});
