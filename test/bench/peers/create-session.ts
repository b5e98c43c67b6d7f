import { createHash } from 'node:crypto';

import { request } from 'undici';

import { settings } from './peer-settings.ts';

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

/** The platform's session creation, as the interface document reads, by undici's `request()` as its documentation shows. */
export async function createSession(data: SessionData): Promise<Session> {
  const path = `users/${encodeURIComponent(data.userId)}/session`;
  const { attributes } = ((await post(path, '', { ...data })) as SessionDocument).data;
  return {
    userId: attributes['user-id'] ?? '',
    sessionId: attributes['session-id'] ?? '',
    auth: attributes['auth'] ?? '',
    redirectUrl: attributes['redirect-url'] ?? '',
  };
}

/** Posts a signed form, and returns the document of the answer. */
export async function post(path: string, query: string, form: Readonly<Record<string, string>>) {
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
  });
  if (statusCode !== 200) throw new Error(`the platform answered ${statusCode}: ${await body.text()}`);
  return await body.json();
}

/** SHA-256 of the values in the order of their names and the secret key. The values of this request are flat strings. */
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
