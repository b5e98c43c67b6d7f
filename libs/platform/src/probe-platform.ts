import { Client } from 'undici';

import type { PlatformTransport } from './platform-settings.ts';
import { routeTo } from './transport/route.ts';

const TIMEOUT_MS = 5_000;

/** Whether an address of the platform answers at all, and what its clock says. */
export type PlatformProbe =
  /** `clockSkewMs`: how far the platform's clock is ahead of ours, to a second; absent if it does not tell. */
  | { readonly kind: 'answer'; readonly status: number; readonly clockSkewMs?: number }
  /** `code` is that of Node.js or undici, such as `ECONNREFUSED` or `CERT_HAS_EXPIRED`. */
  | { readonly kind: 'no-answer'; readonly code: string };

/** Asks for the root of an address, unsigned, over a connection of its own. */
export async function probePlatform(
  root: string,
  transport: PlatformTransport,
  nowMs: () => number = Date.now,
): Promise<PlatformProbe> {
  const { origin, pathname } = new URL(root);
  const route = routeTo(origin, transport, TIMEOUT_MS);
  const client = new Client(route.origin, {
    allowH2: false,
    connect: (options, callback) => void route.connect(options, callback),
  });
  try {
    const askedAtMs = nowMs();
    const { statusCode, headers, body } = await client.request({
      method: 'GET',
      path: route.prefix + pathname,
      headers: [...route.headers],
      headersTimeout: TIMEOUT_MS,
      bodyTimeout: TIMEOUT_MS,
    });
    const halfwayMs = (askedAtMs + nowMs()) / 2;
    await body.dump();
    const dateMs = Date.parse(String(headers['date'] ?? ''));
    return {
      kind: 'answer',
      status: statusCode,
      ...(Number.isFinite(dateMs) && { clockSkewMs: dateMs - halfwayMs }),
    };
  } catch (error) {
    return { kind: 'no-answer', code: codeOf(error) };
  } finally {
    await client.destroy();
  }
}

function codeOf(error: unknown): string {
  // Node.js gives one error for all addresses of a name.
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error;
  const { code, name } = first as NodeJS.ErrnoException;
  return code ?? name;
}
