import type { ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { sendAnswer, type Answer } from '../json-api/send-answer.ts';
import type { PlannedFaults } from './fault-rules.ts';

/** Sends an answer, possibly distorted by a fault. */
export function deliver(response: ServerResponse, answer: Answer, fault: PlannedFaults['fault']): void {
  switch (fault?.kind) {
    case 'reset-after':
      response.socket?.resetAndDestroy();
      return;
    case 'truncated':
      return truncate(response, answer, fault.share);
    case 'drip':
      return void drip(response, answer, fault.bytes, fault.intervalMs);
    case 'wrong-document':
      return sendAnswer(response, { ...answer, body: JSON.stringify(fault.document) });
    case 'empty-body':
      return sendAnswer(response, { ...answer, body: '' });
    case 'gzip':
      return sendAnswer(response, {
        ...answer,
        body: gzipSync(answer.body),
        headers: { 'content-encoding': 'gzip' },
      });
    default:
      return sendAnswer(response, answer);
  }
}

function truncate(response: ServerResponse, answer: Answer, share: number): void {
  const body = Buffer.from(answer.body);
  writeHead(response, answer, body);
  response.write(body.subarray(0, Math.floor(body.length * share)), () => response.destroy());
}

async function drip(
  response: ServerResponse,
  answer: Answer,
  bytes: number,
  intervalMs: number,
): Promise<void> {
  const body = Buffer.from(answer.body);
  writeHead(response, answer, body);
  for (let start = 0; start < body.length && !response.destroyed; start += bytes) {
    if (start > 0) await wait(intervalMs);
    response.write(body.subarray(start, start + bytes));
  }
  response.end();
}

function writeHead(response: ServerResponse, { status, contentType }: Answer, body: Buffer): void {
  response.writeHead(status, { 'content-type': contentType, 'content-length': body.length });
}
