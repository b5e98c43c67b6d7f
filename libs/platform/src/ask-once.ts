import { Client } from 'undici';

import type { PlatformTransport } from './platform-settings.ts';
import { routeTo } from './transport/route.ts';

/** The limit of connecting, and again of the answer. */
const TIMEOUT_MS = 5_000;

/** A request beside those of the commands: to find out something about the platform. */
export interface Question {
  /** `{base_url}` or `{api_url}`. */
  readonly root: string;
  readonly method: 'GET' | 'POST';
  /** Below the root, with its query. Default: the root itself. */
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

/** Sends one request over a connection of its own, without a retry. @throws Error of Node.js or undici */
export async function askOnce(
  { root, method, path = '', headers = {}, body }: Question,
  transport: PlatformTransport,
) {
  const { origin, pathname } = new URL(root);
  const route = routeTo(origin, transport, TIMEOUT_MS);
  const connect: Client.Options['connect'] = (options, callback) => void route.connect(options, callback);
  const client = new Client(route.origin, { allowH2: false, connect });
  try {
    const answer = await client.request({
      method,
      path: route.prefix + (path === '' ? pathname : `${pathname.replace(/\/$/, '')}${path}`),
      headers: [...route.headers, ...Object.entries(headers).flat()],
      body: body ?? null,
      headersTimeout: TIMEOUT_MS,
      bodyTimeout: TIMEOUT_MS,
    });
    await answer.body.dump();
    return { status: answer.statusCode, headers: answer.headers };
  } finally {
    await client.destroy();
  }
}

/** Whether an address of the platform answers at all, and what its clock says. */
export type PlatformProbe =
  /** `clockSkewMs`: how far the platform's clock is ahead of ours, to a second; absent if it does not tell. */
  | { readonly kind: 'answer'; readonly status: number; readonly clockSkewMs?: number }
  /** `code` is that of Node.js or undici, such as `ECONNREFUSED` or `CERT_HAS_EXPIRED`. */
  | { readonly kind: 'no-answer'; readonly code: string };

/** Asks for the root of an address, unsigned, over a connection of its own. */
export async function probePlatform(root: string, transport: PlatformTransport): Promise<PlatformProbe> {
  try {
    const askedAtMs = Date.now();
    const { status, headers } = await askOnce({ root, method: 'GET' }, transport);
    const clockSkewMs = Date.parse(String(headers['date'])) - (askedAtMs + Date.now()) / 2;
    return { kind: 'answer', status, ...(Number.isFinite(clockSkewMs) && { clockSkewMs }) };
  } catch (error) {
    return { kind: 'no-answer', code: faultCodeOf(error) };
  }
}

/** The code of Node.js or undici of a failed request. */
export function faultCodeOf(error: unknown): string {
  // Node.js gives one error for all addresses of a name.
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error;
  const { code, name } = first as NodeJS.ErrnoException;
  return code ?? name;
}
