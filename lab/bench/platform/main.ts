// The platform of the bench answers after a fixed time: sessions whose signature is valid, and an ad hoc
// report of any requested size, which costs this process almost no CPU time.
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

import { answerJson, sessionDocument } from '../../../test/support/platform-stub.ts';
import { reportPages } from '../reports/report-reader.ts';

const { PORT, LATENCY_MS = '20', SECRET_KEY = '', REPORT_RECORDS, RECORDS_PER_PAGE } = process.env;
const pageOf = reportPages(Number(REPORT_RECORDS));

createServer((request, response) => void answer(request, response)).listen(Number(PORT), '127.0.0.1');

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const form = new URLSearchParams(await text(request));
  await sleep(Number(LATENCY_MS));
  const [, user] = /\/users\/([^/]+)\/session\?/.exec(request.url ?? '') ?? [];
  if (user === undefined) {
    const { searchParams } = new URL(request.url ?? '/', 'http://platform');
    const perPage = Number(RECORDS_PER_PAGE ?? searchParams.get('per-page'));
    const body = pageOf(Number(searchParams.get('page')), perPage);
    response.writeHead(200, { 'content-type': 'application/vnd.api+json', 'content-length': body.length });
    response.end(body);
    return;
  }
  const userId = decodeURIComponent(user);
  if (userId === form.get('userId') && request.headers['sign'] === signatureOf(form))
    answerJson(response, 200, sessionDocument(userId));
  else answerJson(response, 400, { errors: [{ status: 400, detail: 'Not Valid Request Signature' }] });
}

/** The SHA-256 of the values in the order of their names, and of the secret key. */
function signatureOf(form: URLSearchParams): string {
  form.sort();
  return createHash('sha256')
    .update([...form.values()].join('') + SECRET_KEY)
    .digest('hex');
}
