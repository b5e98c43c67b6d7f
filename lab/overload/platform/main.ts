// The platform of the overload matrix. How it serves can be changed while it runs; it counts the calls of
// each load.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

import { documentOf, playerOf } from '../../../test/support/platform-answers.ts';
import { answerJson } from '../../../test/support/platform-stub.ts';
import { CONTROL_PATH, loadOf, type Service } from './platform.ts';

let service: Service = { timeMs: 0 };
/** When a platform that serves one call after the other will have served the calls so far. */
let lineEndsAtMs = 0;
const calls: Record<string, number> = {};
const port = Number(process.env['PORT']);

createServer((request, response) => void answer(request, response)).listen(port, '127.0.0.1');

async function answer(message: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await text(message).catch(() => undefined);
  // The worker gave up before it had sent the whole request.
  if (body === undefined) return;
  const url = new URL(message.url ?? '/', 'http://platform');
  if (url.pathname === CONTROL_PATH) {
    if (body !== '') service = JSON.parse(body) as Service;
    return answerJson(response, 200, calls);
  }
  const request = { method: message.method ?? '', url, headers: message.headers, body };
  const load = loadOf(playerOf(request) ?? '');
  calls[load] = (calls[load] ?? 0) + 1;
  if (service.hangs !== undefined && url.pathname.endsWith(service.hangs)) return;
  await sleep(waitMs(service));
  answerJson(response, 200, documentOf(request, 0));
}

/** A queued call is served even if its caller has given up, because the platform does not notice. */
function waitMs({ timeMs = 0, perSecond }: Service): number {
  if (perSecond === undefined) return timeMs;
  const nowMs = performance.now();
  lineEndsAtMs = Math.max(nowMs, lineEndsAtMs) + 1_000 / perSecond;
  return lineEndsAtMs - nowMs;
}
