import { setTimeout as sleep } from 'node:timers/promises';

import { describe, expect, it } from '@jest/globals';

import { silent } from '../../support/platform-answers.ts';
import { buildClient, callWithin, CALLS, createSession, failureOf, OPERATIONS, platform } from './client.ts';
import { DOCUMENTS, errors, SESSION } from './documents.ts';
import { answers, answersMail, type Behaviour, drips, resets, truncates } from './local-platform.ts';

describe('a transient failure', () => {
  it.each(OPERATIONS)(
    'is retried until the call succeeds, with every attempt signed: %s',
    async (operation) => {
      platform.next(answers(503), answers(500, errors(500, {}))).always(answers(200, DOCUMENTS[operation]));
      const { client, observer } = buildClient();
      const call = callWithin();
      await expect(CALLS[operation](client, call)).resolves.toBeDefined();
      expect(call.attempts).toBe(3);
      expect(observer).toMatchObject({ results: ['5xx', '5xx', '2xx'], retries: 2 });
      for (const { headers } of platform.requests) expect(headers['sign']).toMatch(/^[0-9a-f]{64}$/);
    },
  );

  it('is not retried before Retry-After has elapsed', async () => {
    platform.next(answers(429, '', { 'retry-after': '1' }), answers(200, SESSION));
    const startedAtMs = performance.now();
    await createSession(buildClient().client);
    expect(performance.now() - startedAtMs).toBeGreaterThan(990);
    expect(platform.requests).toHaveLength(2);
  });

  it.each([
    [429, '25', 'RATE_LIMITED'],
    [503, ['25', '1'], 'PLATFORM_UNAVAILABLE'],
  ])('is not retried if Retry-After exceeds the deadline: %d, %j', async (status, retryAfter, code) => {
    // Shorter than the maximum delay, which would itself prevent a retry.
    platform.next(answers(status, '', { 'retry-after': retryAfter }));
    const call = callWithin(20_000);
    const failure = failureOf(createSession(buildClient().client, call));
    // Both timers run in this process, so a busy machine delays them equally.
    const end = await Promise.race([failure, sleep(10_000, 'waits', { ref: false })]);
    expect(end).toMatchObject({ code, retryAfterMs: 25_000 });
    expect(call.attempts).toBe(1);
  });
});

it.each(OPERATIONS)('a call makes no further attempt after its delivery is lost: %s', async (operation) => {
  const delivery = { isAlive: true };
  platform.always((_request, response) => {
    delivery.isAlive = false;
    response.writeHead(503).end();
  });
  const { client } = buildClient();
  const abandoned = { name: 'Abandoned' };
  for (let call = 0; call < 2; call += 1)
    await expect(CALLS[operation](client, { ...callWithin(), delivery })).rejects.toMatchObject(abandoned);
  expect(platform.requests).toHaveLength(1);
});

it('a call that waits for a connection is abandoned if its lost command is made to expire', async () => {
  platform.always(silent);
  const { client, observer } = buildClient({ limits: { connections: 1 } });
  const first = failureOf(createSession(client));
  const delivery = { isAlive: true };
  const call = { ...callWithin(), delivery, isWaiting: false };
  const waiting = createSession(client, call);
  expect(call.isWaiting).toBe(true);
  delivery.isAlive = false;
  call.deadline.expire();
  await expect(waiting).rejects.toMatchObject({ name: 'Abandoned' });
  expect([call.isWaiting, observer.refusals]).toEqual([false, []]);
  await client.close();
  await first;
});

it.each([200, 302, 400, 422])('a final answer is not retried: %d', async (status) => {
  platform.always(answers(status, '<html>'));
  const call = callWithin();
  await failureOf(createSession(buildClient().client, call));
  expect([call.attempts, platform.requests.length]).toEqual([1, 1]);
});

describe('a call that was not sent', () => {
  it.each(OPERATIONS)('is retried and fails with PLATFORM_UNAVAILABLE: %s', async (operation) => {
    const { client, observer } = buildClient();
    await platform[Symbol.asyncDispose]();
    const error = await failureOf(CALLS[operation](client));
    expect(error).toMatchObject({ code: 'PLATFORM_UNAVAILABLE', details: { reason: 'refused' } });
    expect(observer.results).toEqual(['refused', 'refused', 'refused']);
  });

  it.each([
    ['has no address', () => 'http://no-such-host.invalid'],
    ['finds no TLS', () => platform.origin.replace('http:', 'https:')],
  ])('%s', async (_why, origin) => {
    const { client } = buildClient({ origin: origin(), limits: { maxAttempts: 1 } });
    const error = await failureOf(createSession(client));
    expect(error).toMatchObject({ code: 'PLATFORM_UNAVAILABLE', details: { reason: 'unreachable' } });
  });
});

describe.each<[string, string, Behaviour]>([
  ['the connection ends without an answer', 'reset', resets],
  ['the answer is truncated', 'truncated', truncates(200, SESSION)],
  ['the answer never arrives', 'timeout', silent],
  ['the answer arrives byte by byte', 'timeout', drips(200, SESSION)],
  ['the answer is not HTTP', 'malformed', answersMail],
  [
    'the answer begins with an unsolicited 100',
    'malformed',
    (_request, response) => response.writeContinue(),
  ],
])('a call, if %s', (_name, reason, loss) => {
  const limits = { maxAttempts: 3, ...(reason === 'timeout' && { attemptTimeoutMs: 250 }) };
  const openAny: (typeof CALLS)['game.open'] = (client, call) =>
    client.call('game.open', { player: { id: 'u-1' } }, call!);

  it('is retried, but only once if it may create a second session', async () => {
    platform.always(loss);
    const calls = (
      [
        [createSession, 'OUTCOME_UNKNOWN', 1],
        [openAny, 'OUTCOME_UNKNOWN', 1],
        [CALLS['game.open'], 'OUTCOME_UNKNOWN', 2],
        [CALLS['report.ad-hoc.fetch'], 'PLATFORM_UNAVAILABLE', 2],
        [CALLS['report.rake.fetch'], 'PLATFORM_UNAVAILABLE', 2],
      ] as const
    ).map(async ([make, code, retries]) => {
      const { client, observer } = buildClient({ limits });
      const call = callWithin();
      expect(await failureOf(make(client, call))).toMatchObject({ code, details: { reason } });
      expect(observer).toMatchObject({ retries, results: Array<string>(retries + 1).fill(reason) });
      return call.attempts;
    });
    expect(await Promise.all(calls)).toEqual([2, 2, 3, 3, 3]);
    expect(platform.requests).toHaveLength(13);
  });

  it('succeeds with the next attempt', async () => {
    platform.next(loss).always(answers(200, SESSION));
    await expect(createSession(buildClient({ limits }).client)).resolves.toBeDefined();
  });
});

describe('after an attempt whose outcome is unknown', () => {
  it('the error of a taken nickname says that an earlier attempt may be the cause', async () => {
    const taken = errors(422, { detail: 'A Player with this username already exists in the system.' });
    platform.next(resets, answers(422, taken));
    const error = await failureOf(CALLS['game.open'](buildClient().client));
    expect(error).toMatchObject({ code: 'NICKNAME_TAKEN', details: { earlierAttemptUnknown: true } });
  });

  it('an answered failure becomes the error of the call', async () => {
    platform.next(resets, answers(503));
    const error = await failureOf(createSession(buildClient().client));
    expect(error).toMatchObject({ code: 'PLATFORM_UNAVAILABLE', platform: { status: 503 } });
    expect(error.details).toEqual({ earlierAttemptUnknown: true });
  });

  it('an attempt that was not sent does not hide the unknown outcome', async () => {
    platform.always((_request, _response, socket) => {
      socket.destroy();
      void platform[Symbol.asyncDispose]();
    });
    const error = await failureOf(CALLS['game.open'](buildClient().client));
    expect(error).toMatchObject({ code: 'OUTCOME_UNKNOWN', details: { reason: 'reset' } });
  });
});
