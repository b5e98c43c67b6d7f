import { kindsOf } from '../faults/fault-rules.ts';
import type { Exchange } from './exchange.ts';
import type { Operation } from '../interface/operation.ts';

const MAX_BODY_CHARACTERS = 4096;
const REDACTED = '[redacted]';
const SECRET_HEADERS = new Set(['sign', 'authorization', 'proxy-authorization', 'cookie']);

/** A finished request in the log. */
export interface FinishedRequest {
  readonly method: string;
  readonly url: string;
  /** Name, value, name, value, … */
  readonly rawHeaders: readonly string[];
  readonly exchange: Exchange;
  readonly status: number | undefined;
  readonly durationMs: number;
}

/** A request as the control API shows it: the signature and credentials redacted, a long body cut. */
export interface RequestDescription {
  readonly receivedAt: string;
  readonly operation: Operation;
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Absent if the request ended without a complete answer. */
  readonly status?: number;
  readonly durationMs: number;
  readonly faults: readonly string[];
}

export function describeRequest(request: FinishedRequest): RequestDescription {
  const { method, url, rawHeaders, exchange, status, durationMs } = request;
  return {
    receivedAt: new Date(exchange.receivedAtMs).toISOString(),
    operation: exchange.operation,
    method,
    url: redactParameter(url),
    headers: Object.fromEntries(pairs(rawHeaders).map(([name, value]) => [name, redactHeader(name, value)])),
    body: redactParameter(exchange.body.toString().slice(0, MAX_BODY_CHARACTERS)),
    ...(status !== undefined && { status }),
    durationMs: Math.round(durationMs * 10) / 10,
    faults: kindsOf(exchange.planned),
  };
}

function pairs(rawHeaders: readonly string[]): [string, string][] {
  return Array.from({ length: rawHeaders.length / 2 }, (_, index) => [
    (rawHeaders[2 * index] as string).toLowerCase(),
    rawHeaders[2 * index + 1] as string,
  ]);
}

function redactHeader(name: string, value: string): string {
  return SECRET_HEADERS.has(name) ? REDACTED : value;
}

// A signature in the wrong place is still a signature: in a query, a form or JSON, whose end may have been cut off.
function redactParameter(text: string): string {
  return text
    .replace(/(^|[?&])(sign|access-token)=[^&]*/gi, `$1$2=${REDACTED}`)
    .replace(
      /("(?:sign|access-token)"\s*:\s*)(?:"(?:[^"\\]|\\.)*(?:"|\\?$)|[^\s,}\]"]+)/gi,
      `$1"${REDACTED}"`,
    );
}
