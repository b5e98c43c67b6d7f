import { Client } from 'undici';

import type { PlatformTransport } from './platform-settings.ts';
import { routeTo } from './transport/route.ts';

/** Of connecting, and again of the answer. */
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

/** Its answer. */
export interface PlainAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** Sends one request over a connection of its own; nothing is tried again. @throws Error of Node.js or undici */
export async function askOnce(
  { root, method, path = '', headers = {}, body }: Question,
  transport: PlatformTransport,
): Promise<PlainAnswer> {
  const { origin, pathname } = new URL(root);
  const route = routeTo(origin, transport, TIMEOUT_MS);
  const client = new Client(route.origin, {
    allowH2: false,
    connect: (options, callback) => void route.connect(options, callback),
  });
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
