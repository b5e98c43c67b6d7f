import { Client } from 'undici';

import type { PlatformTransport } from './platform-settings.ts';
import { routeTo } from './transport/route.ts';

/** The limit of connecting, and again of the answer. */
const TIMEOUT_MS = 5_000;

/** A request beside those of the commands: to find out something about the platform. */
export interface Question {
  /** With its query, percent-encoded. */
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

/**
 * Sends one request over a connection of its own, without a retry.
 *
 * @returns the status, and how far the platform's clock is ahead of ours, to a second; 0 if it does not tell
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

/** The code of a failed request, by Node.js or undici, such as `ECONNREFUSED` or `CERT_HAS_EXPIRED`. */
export function faultCodeOf(error: unknown): string {
  // Node.js gives one error for all addresses of a name.
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error;
  const { code, name } = first as NodeJS.ErrnoException;
  return code ?? name;
}
