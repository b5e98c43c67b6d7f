import { lookup } from 'node:dns';

import { expect, it } from '@jest/globals';

import { type Ask, Names } from '#platform';

import { buildClient, callWithin, CALLS, failureOf, startPlatform } from './client.fixture.ts';
import { SESSION } from './documents.ts';
import { answers } from './local-platform.ts';

const THREADS = 4;
const CALLS_OF_EACH = 20;

/** The system of a process with four threads for its questions, one of which nobody ever answers. */
function systemWithDead(dead: string): Ask {
  let free = THREADS;
  const queued: (() => void)[] = [];
  const next = (): void => {
    while (free > 0 && queued.length > 0) {
      free -= 1;
      queued.shift()?.();
    }
  };
  return (host, options, callback) => {
    queued.push(() => {
      if (host === dead) return;
      lookup(host, options, (error, addresses) => {
        free += 1;
        next();
        callback(error, addresses);
      });
    });
    next();
  };
}

it('a name that nobody resolves holds up no other operator, whatever its calls', async () => {
  const platform = await startPlatform(answers(200, SESSION));
  const names = new Names(systemWithDead('dead.example'));
  const limits = { attemptTimeoutMs: 20_000, connections: 64 };
  const dead = buildClient('http://dead.example', { limits, transport: { names } }).client;
  const { port } = new URL(platform.origin);
  const healthy = buildClient(`http://localhost:${port}`, { limits, transport: { names } }).client;
  const lost = Array.from({ length: CALLS_OF_EACH }, () =>
    failureOf(CALLS['session.create'](dead, callWithin(1_000))),
  );
  const served = await Promise.all(
    Array.from({ length: CALLS_OF_EACH }, () => CALLS['session.create'](healthy, callWithin(20_000))),
  );
  expect(served).toHaveLength(CALLS_OF_EACH);
  expect(new Set((await Promise.all(lost)).map(({ code }) => code))).toEqual(new Set(['COMMAND_EXPIRED']));
});
