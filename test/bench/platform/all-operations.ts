// A platform that serves all four operations after a fixed time. The name of a player says what becomes of a request.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

import { healthy, playerOf } from '../../support/platform-answers.ts';
import { answerJson, type PlatformRequest } from '../../support/platform-stub.ts';

const { PORT, LATENCY_MS = '20', REPORT_RECORDS } = process.env;
const SIGNATURE = /^[0-9a-f]{64}$/;

interface Failure {
  readonly status: number;
  readonly detail?: string;
}

const well = healthy(Number(REPORT_RECORDS));
/** Players whose first request has failed. */
const hasFailed = new Set<string>();

createServer((message, response) => void answer(message, response)).listen(Number(PORT), '127.0.0.1');

async function answer(message: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await text(message).catch(() => undefined);
  if (body === undefined) return;
  const request = {
    method: message.method ?? '',
    url: new URL(message.url ?? '/', 'http://platform'),
    headers: message.headers,
    body,
  };
  await sleep(Number(LATENCY_MS));
  const failure = failureOf(request);
  if (failure) answerJson(response, failure.status, { errors: [failure] });
  else await well(request, response, message.socket);
}

/** `flaky-…` fails in passing, once; `taken-…` and `absent-…` for good. */
function failureOf(request: PlatformRequest): Failure | undefined {
  const { url, headers, body } = request;
  if (!SIGNATURE.test(String(headers['sign']))) return { status: 400, detail: 'Not Valid Request Signature' };
  if (Number(url.searchParams.get('page') ?? 1) > 1) return undefined;
  const player = playerOf(request) ?? new URLSearchParams(body).get('userId') ?? '';
  if (player.startsWith('absent-')) return { status: 404 };
  if (player.startsWith('taken-')) {
    return { status: 422, detail: 'A Player with this username already exists in the system.' };
  }
  // The second request forgets the first, so that hours of them need no memory.
  if (!player.startsWith('flaky-') || hasFailed.delete(player)) return undefined;
  hasFailed.add(player);
  return { status: 503 };
}
