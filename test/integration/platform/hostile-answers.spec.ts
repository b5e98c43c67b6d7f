import { createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, beforeAll, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { CommandError } from '#contracts';

import { wireAnswer, writeAnswer } from '../../support/fuzz/wire-answer.ts';
import { buildClient, callWithin, CALLS, OPERATIONS } from './client.fixture.ts';
import { AD_HOC_REPORT, SESSION } from './documents.ts';

/** Long after the deadline of a call, which is a second. */
const LONG_PAST_MS = 10_000;

let server: Server;
let answer: (socket: Socket) => void = () => undefined;
const sockets = new Set<Socket>();
const strays: unknown[] = [];
const onStray = (reason: unknown) => void strays.push(reason);

beforeAll(async () => {
  process.on('unhandledRejection', onStray);
  server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    socket.on('data', () => answer(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});

afterAll(async () => {
  process.off('unhandledRejection', onStray);
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => server.close(resolve));
});

const hostileAnswer = wireAnswer(JSON.stringify(SESSION), JSON.stringify(AD_HOC_REPORT));

it('every answer, however hostile, ends its call with a result or one CommandError', async () => {
  const { port } = server.address() as { port: number };
  const { client } = buildClient(`http://127.0.0.1:${port}`, {
    limits: { attemptTimeoutMs: 40, maxAttempts: 2 },
  });
  await fc.assert(
    fc.asyncProperty(hostileAnswer, fc.constantFrom(...OPERATIONS), async (hostile, operation) => {
      answer = (socket) => writeAnswer(hostile, socket);
      const call = CALLS[operation](client, callWithin(1_000)).then(
        () => undefined,
        (reason: unknown) => reason,
      );
      const error = await Promise.race([call, sleep(LONG_PAST_MS, 'the call has not ended', { ref: false })]);
      if (error !== undefined) expect(error).toBeInstanceOf(CommandError);
    }),
    { numRuns: 200 },
  );
  expect(strays).toEqual([]);
});
