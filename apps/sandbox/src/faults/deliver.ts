import { STATUS_CODES, type ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { type Answer, errorDocument, JSON_API, sendAnswer, writeHead } from '../interface/documents.ts';
import type { OtherFault } from './faults.ts';

/** The answer of a fault that replaces the platform; nothing is processed. */
export function answerInstead(fault: OtherFault | undefined): Answer | undefined {
  switch (fault?.kind) {
    case 'status': {
      const { status, retryAfter, pointer, empty } = fault;
      const headers = retryAfter === undefined ? {} : { 'retry-after': retryAfter };
      const document = pointer === undefined ? errorDocument(status) : { errors: [{ source: { pointer } }] };
      return { status, contentType: JSON_API, body: empty ? '' : JSON.stringify(document), headers };
    }
    case 'html':
    case 'redirect': {
      const headers = fault.kind === 'redirect' ? { location: fault.location } : {};
      return { status: fault.status, contentType: 'text/html', body: page(fault.status), headers };
    }
    default:
      return undefined;
  }
}

function page(status: number): string {
  const title = `${status} ${STATUS_CODES[status] ?? ''}`;
  return `<html>\r\n<head><title>${title}</title></head>\r\n<body><center><h1>${title}</h1></center></body>\r\n</html>\r\n`;
}

/** Sends an answer, possibly distorted by a fault. */
export function deliver(response: ServerResponse, answer: Answer, fault: OtherFault | undefined): void {
  switch (fault?.kind) {
    case 'reset-after':
      response.socket?.resetAndDestroy();
      return;
    case 'truncated':
      return truncate(response, answer, fault.bodyShare);
    case 'drip':
      return void drip(response, answer, fault.bytes, fault.intervalMs);
    case 'wrong-document':
      return sendAnswer(response, { ...answer, body: JSON.stringify(fault.document) });
    case 'empty-body':
      return sendAnswer(response, { ...answer, body: '' });
    case 'gzip': {
      const headers = { 'content-encoding': 'gzip' };
      return sendAnswer(response, { ...answer, body: gzipSync(answer.body), headers });
    }
    default:
      return sendAnswer(response, answer);
  }
}

function truncate(response: ServerResponse, answer: Answer, share: number): void {
  const body = writeHead(response, answer);
  response.write(body.subarray(0, Math.floor(body.length * share)), () => response.destroy());
}

async function drip(response: ServerResponse, answer: Answer, bytes: number, intervalMs: number) {
  const body = writeHead(response, answer);
  for (let start = 0; start < body.length && !response.destroyed; start += bytes) {
    if (start > 0) await wait(intervalMs);
    response.write(body.subarray(start, start + bytes));
  }
  response.end();
}
