import { createHash } from 'node:crypto';

import { type ConfirmChannel, connect, type ConsumeMessage } from 'amqplib';
import { request } from 'undici';

export const settings = {
  amqpUrl: process.env['AMQP_URL'] ?? '',
  queue: process.env['QUEUE'] ?? '',
  prefetch: Number(process.env['PREFETCH'] ?? 100),
  baseUrl: process.env['PLATFORM_BASE_URL'] ?? '',
  clientId: process.env['PLATFORM_CLIENT_ID'] ?? '',
  secretKey: process.env['PLATFORM_SECRET_KEY'] ?? '',
} as const;

/** Consumes with plain amqplib, on a confirm channel, until SIGTERM. */
export async function consumeBare(
  prefetch: number,
  handle: (message: ConsumeMessage, channel: ConfirmChannel) => Promise<void>,
): Promise<void> {
  const { amqpUrl, queue } = settings;
  const connection = await connect(amqpUrl);
  const channel = await connection.createConfirmChannel();
  await channel.assertQueue(queue, { durable: true, arguments: { 'x-queue-type': 'quorum' } });
  await channel.prefetch(prefetch);
  await channel.consume(queue, (message) => message && void handle(message, channel));
  process.once('SIGTERM', () => void channel.close().then(() => connection.close()));
}

export interface SessionData {
  readonly userId: string;
}

export interface Session {
  readonly userId: string;
  readonly sessionId: string;
  readonly auth: string;
  readonly redirectUrl: string;
}

interface SessionDocument {
  readonly data: { readonly attributes: Readonly<Record<string, string>> };
}

const NOT_SIGNED = new Set(
  'clientId access-token action auth channel controller locale method module sign version per-page page sort'.split(
    ' ',
  ),
);

/**
 * The platform's session creation, as the interface document reads, by undici's `request()` as its
 * documentation shows.
 */
export async function createSession(data: SessionData, signal?: AbortSignal): Promise<Session> {
  const path = `users/${encodeURIComponent(data.userId)}/session`;
  const { attributes } = ((await post(path, '', { ...data }, signal)) as SessionDocument).data;
  return {
    userId: attributes['user-id'] ?? '',
    sessionId: attributes['session-id'] ?? '',
    auth: attributes['auth'] ?? '',
    redirectUrl: attributes['redirect-url'] ?? '',
  };
}

/** Posts a signed form, and returns the document of the answer. */
export async function post(
  path: string,
  query: string,
  form: Readonly<Record<string, string>>,
  signal?: AbortSignal,
) {
  const { baseUrl, clientId } = settings;
  const url = `${baseUrl}/v2/app/${path}?clientId=${encodeURIComponent(clientId)}${query}`;
  const { statusCode, body } = await request(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      accept: 'application/vnd.api+json',
      sign: signatureOf(form),
    },
    body: new URLSearchParams(form).toString(),
    signal: signal ?? null,
  });
  if (statusCode !== 200) throw new Error(`the platform answered ${statusCode}: ${await body.text()}`);
  return await body.json();
}

/**
 * SHA-256 of the values in the order of their names and the secret key. The values of this request are flat
 * strings.
 */
function signatureOf(parameters: Readonly<Record<string, string>>): string {
  const text = Object.keys(parameters)
    .filter((name) => !NOT_SIGNED.has(name))
    .sort()
    .map((name) => parameters[name])
    .join('');
  return createHash('sha256')
    .update(text + settings.secretKey)
    .digest('hex');
}
