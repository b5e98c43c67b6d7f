// A platform whose ad hoc report is as large as asked for, and costs this process next to nothing. Sessions work.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

import { answerJson, sessionDocument } from '../../support/platform-stub.ts';
import { ReportPages } from '../reports/report-reader.ts';

const { PORT, LATENCY_MS = '20', REPORT_RECORDS } = process.env;
const pages = new ReportPages(Number(REPORT_RECORDS));

createServer((message, response) => void answer(message, response)).listen(Number(PORT), '127.0.0.1');

async function answer(message: IncomingMessage, response: ServerResponse): Promise<void> {
  await text(message);
  await sleep(Number(LATENCY_MS));
  const { pathname, searchParams } = new URL(message.url ?? '/', 'http://platform');
  const [, user] = /\/users\/([^/]+)\/session$/.exec(pathname) ?? [];
  if (user !== undefined) return answerJson(response, 200, sessionDocument(decodeURIComponent(user)));
  const body = pages.page(Number(searchParams.get('page')), Number(searchParams.get('per-page')));
  response.writeHead(200, { 'content-type': 'application/vnd.api+json', 'content-length': body.length });
  response.end(body);
}
