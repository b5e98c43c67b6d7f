import { type OutgoingHttpHeaders, type ServerResponse, STATUS_CODES } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { OtherFault } from '../faults/faults.ts';
import { JSON_API } from '../interface/documents.ts';
import { errorBody, type Profile, waitHeaders } from '../interface/real-profile.ts';
import type { Exchange, SandboxRequest } from './exchange.ts';
import { shownAnswer } from './traffic-log.ts';

export type SandboxResponse = ServerResponse & { readonly req: SandboxRequest };

export interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
  readonly headers?: OutgoingHttpHeaders;
}

/** Returns the answer of a fault or a firewall that replaces the platform. The request is not processed. */
export function answerInstead(
  { operation, planned: { fault } }: Exchange,
  profile: Profile,
  userAgent: string | undefined,
): Answer | undefined {
  if (profile === 'real' && !userAgent) return { status: 403, contentType: 'text/html', body: page(403) };
  if (fault?.kind === 'status') {
    const { status, retryAfter, pointer, empty } = fault;
    const headers = waitHeaders(profile, status, retryAfter);
    const document =
      pointer === undefined
        ? errorBody(profile, operation, status, {})
        : { errors: [{ source: { pointer } }] };
    return { status, contentType: JSON_API, body: empty ? '' : JSON.stringify(document), headers };
  }
  if (fault?.kind !== 'html' && fault?.kind !== 'redirect') return undefined;
  const headers = fault.kind === 'redirect' ? { location: fault.location } : {};
  return { status: fault.status, contentType: 'text/html', body: page(fault.status), headers };
}

function page(status: number): string {
  const title = `${status} ${STATUS_CODES[status] ?? ''}`;
  return `<html>\r\n<head><title>${title}</title></head>\r\n<body><center><h1>${title}</h1></center></body>\r\n</html>\r\n`;
}

/** Sends an answer in one piece, or distorted by the fault of its request. */
export function sendAnswer(response: SandboxResponse, answer: Answer): void {
  const { exchange } = response.req;
  const fault = exchange?.planned.fault;
  if (exchange) exchange.answer = { contentType: answer.contentType, body: shownAnswer(answer.body) };
  if (fault?.kind === 'reset-after') return void response.socket?.resetAndDestroy();
  const body = Buffer.from(distorted(answer.body, fault));
  response.writeHead(answer.status, {
    'content-type': answer.contentType,
    'content-length': body.length,
    ...(fault?.kind === 'gzip' && { 'content-encoding': 'gzip' }),
    ...answer.headers,
  });
  if (fault?.kind === 'drip') return void drip(response, body, fault.bytes, fault.intervalMs);
  if (fault?.kind !== 'truncated') return void response.end(body);
  const sent = body.subarray(0, Math.floor(body.length * fault.bodyShare));
  response.write(sent, () => response.destroy());
}

function distorted(body: string, fault: OtherFault | undefined): string | Buffer {
  if (fault?.kind === 'gzip') return gzipSync(body);
  if (fault?.kind === 'empty-body') return '';
  return fault?.kind === 'wrong-document' ? JSON.stringify(fault.document) : body;
}

async function drip(response: ServerResponse, body: Buffer, bytes: number, intervalMs: number) {
  for (let start = 0; start < body.length && !response.destroyed; start += bytes) {
    if (start > 0) await wait(intervalMs, undefined, { ref: false });
    response.write(body.subarray(start, start + bytes));
  }
  response.end();
}
