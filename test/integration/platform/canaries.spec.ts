import { inspect } from 'node:util';

import { expect, it } from '@jest/globals';
import fc from 'fast-check';

import type { CommandError } from '#contracts';

import {
  canariesIn,
  canary,
  SECRET_CANARY,
  TOKEN_CANARY,
  valuesIn,
  WAYS_TO_ECHO,
} from '../../support/fuzz/canary.ts';
import { buildClient, callWithin, failureOf, startPlatform } from './client.fixture.ts';
import type { Behaviour } from './local-platform.ts';

const game = fc.record(
  {
    player: fc.record({
      id: canary,
      nick: canary,
      email: canary,
      phoneNumber: canary,
      tag: canary,
      country: canary,
    }),
    session: fc.record({
      id: canary,
      userIp: canary,
      launchOptions: fc.oneof(
        fc.record({ restoreSessionUrl: canary, list: fc.array(canary, { maxLength: 3 }) }),
        fc.record({ restoreSessionUrl: canary }).map((options) => JSON.stringify(options)),
      ),
    }),
  },
  { requiredKeys: ['player'] },
);

/** Repeats the whole request, encoded in the current way, in every part of the answer. */
function echoes(status: number, way: (text: string) => string): Behaviour {
  return ({ request, response, socket }) => {
    const all = [
      request.target,
      request.body,
      JSON.stringify(request.headers),
      valuesIn(request.body).join(' '),
    ].map(way);
    const entries = all.map((text) => ({
      title: text,
      detail: text,
      source: { pointer: text },
      [text]: text,
    }));
    const token = { auth: TOKEN_CANARY, 'redirect-url': `https://play.example/?auth=${TOKEN_CANARY}` };
    const text = JSON.stringify({
      errors: entries,
      data: { id: TOKEN_CANARY, type: all[0], attributes: token },
    });
    if (status === 0) socket.end(`HTTP/1.1 broken ${text}`);
    else
      response
        .writeHead(status, { location: all[0]?.replace(/[^ -~]/g, '') ?? '', 'x-echo': TOKEN_CANARY })
        .end(text);
  };
}

/** Everything that an error holds: what is sent, and what may be logged. */
function everythingOf(error: CommandError): string {
  const { code, message, details, platform, violations, cause, stack } = error;
  return (
    inspect(
      { code, message, details, platform, violations, cause, stack },
      { depth: Infinity, maxStringLength: null },
    ) + JSON.stringify({ message, details, platform })
  );
}

const statuses = fc.constantFrom(0, 200, 302, 400, 403, 404, 422, 429, 500);
const ways = fc.constantFrom(...Object.values(WAYS_TO_ECHO));

it('no error holds a value of its command, a secret, a signature or a token', async () => {
  const platform = await startPlatform();
  const { client } = buildClient(platform.origin, {
    limits: { maxAttempts: 1 },
    credentials: { secretKey: SECRET_CANARY },
  });
  await fc.assert(
    fc.asyncProperty(game, canary, statuses, ways, async (data, userId, status, way) => {
      platform.always(echoes(status, way));
      const errors = [
        await failureOf(client.openGame(data, callWithin())),
        await failureOf(client.createSession({ userId, nick: data.player.nick }, callWithin())),
      ];
      for (const error of errors) {
        expect(canariesIn(everythingOf(error))).toEqual([]);
      }
    }),
    { numRuns: 100 },
  );
});
