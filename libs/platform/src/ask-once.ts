import { Client } from 'undici';

import type { PlatformTransport } from './platform-settings.ts';
import { routeTo } from './transport/route.ts';

/** Timeout for connecting, and again for the answer. */
const TIMEOUT_MS = 5_000;

/** A request that serves no command, such as a probe of the platform. */
export interface Question {
  /** Path and query, percent-encoded. */
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

/**
 * Sends one request over a connection of its own, without a retry.
 *
 * @returns the status, and by how much the platform's clock is ahead of ours, to the second; 0 if the answer
 *   has no date
 * @throws Error of Node.js or undici
 */
export async function askOnce({ url, method, headers = {}, body }: Question, transport: PlatformTransport) {
  const { origin, pathname, search } = new URL(url);
  const route = routeTo(origin, transport, TIMEOUT_MS);
  const client = new Client(route.origin, {
    allowH2: false,
    headersTimeout: TIMEOUT_MS,
    bodyTimeout: TIMEOUT_MS,
    connect: (...connection) => void route.connect(...connection),
  });
  try {
    const askedAtMs = Date.now();
    const answer = await client.request({
      method,
      path: route.prefix + pathname + search,
      headers: { ...route.headers, ...headers },
      body: body ?? null,
    });
    await answer.body.dump();
    const clockSkewMs = Date.parse(String(answer.headers['date'])) - (askedAtMs + Date.now()) / 2;
    return { status: answer.statusCode, clockSkewMs: clockSkewMs || 0 };
  } finally {
    await client.destroy();
  }
}

/**
 * Returns the error code of a failed request from Node.js or undici, such as `ECONNREFUSED` or
 * `CERT_HAS_EXPIRED`.
 */
export function faultCodeOf(error: unknown): string {
  // Node.js wraps the errors of all addresses of a host in one error.
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error;
  const { code, name } = first as NodeJS.ErrnoException;
  return code ?? name;
}
