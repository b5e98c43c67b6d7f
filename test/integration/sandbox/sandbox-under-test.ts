import { createHash } from 'node:crypto';
import http from 'node:http';

import { readSettings, type Settings } from '../../../apps/sandbox/src/settings/settings.ts';
import { startSandbox } from '../../../apps/sandbox/src/start-sandbox.ts';

const SECRET = 'sandbox-secret-key';

/** A request as it is sent. */
export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The answer. */
export interface Received {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly bytes: Buffer;
  readonly text: string;
  /** The parsed body; throws if it is not JSON. */
  readonly json: any;
}

/** A sandbox on a free port, and what a test needs to talk to it. */
export interface SandboxUnderTest extends AsyncDisposable {
  readonly url: string;
  send(request: Sent): Promise<Received>;
  session(userId: string, form?: Record<string, string>, headers?: Record<string, string>): Promise<Received>;
  /** @param canonical the string that is signed, before the secret */
  openGame(attributes: object, canonical: string, query?: string): Promise<Received>;
  adHoc(form: Record<string, string>, query?: Record<string, string>): Promise<Received>;
  rake(form: Record<string, string>, query?: Record<string, string>): Promise<Received>;
  control(method: string, path: string, body?: unknown): Promise<Received>;
}

/** The digest of a canonical string, computed independently of the sandbox's code. */
export function digest(canonical: string, secret = SECRET): string {
  return createHash('sha256').update(canonical, 'utf8').update(secret, 'utf8').digest('hex');
}

/** The signature of parameters that are plain strings. */
export function signFlat(parameters: Record<string, string>, secret = SECRET): string {
  const { clientId: _, page: __, 'per-page': ___, sort: ____, ...signed } = parameters;
  const values = Object.entries(signed).sort(([left], [right]) => (left < right ? -1 : 1));
  return digest(values.map(([, value]) => value).join(''), secret);
}

/** Starts a sandbox from variables, and from settings that no variable can hold. */
export async function startSandboxUnderTest(
  variables: Record<string, string> = {},
  overrides: Partial<Settings> = {},
): Promise<SandboxUnderTest> {
  const sandbox = await startSandbox({ ...readSettings({ SANDBOX_PORT: '0', ...variables }), ...overrides });
  const send = (request: Sent) => exchange(sandbox.url, request);
  const sendForm = (
    method: string,
    path: string,
    query: Record<string, string>,
    form: Record<string, string>,
  ) =>
    send({
      method,
      path: `${path}?${new URLSearchParams(query)}`,
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        sign: signFlat({ ...query, ...form }),
      },
      body: new URLSearchParams(form).toString(),
    });
  return {
    url: sandbox.url,
    send,
    session: (userId, form = {}, headers = {}) =>
      send({
        method: 'POST',
        path: `/api/web/v2/app/users/${encodeURIComponent(userId)}/session?clientId=sandbox`,
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          sign: signFlat({ userId, ...form }),
          ...headers,
        },
        body: new URLSearchParams({ userId, ...form }).toString(),
      }),
    openGame: (attributes, canonical, query = 'client=sandbox') =>
      send({
        method: 'POST',
        path: `/apiweb/v3/open-game?${query}`,
        headers: { 'content-type': 'application/vnd.api+json', sign: digest(canonical) },
        body: JSON.stringify({ data: { type: 'OpenGame', attributes } }),
      }),
    adHoc: (form, query = {}) =>
      sendForm('POST', '/api/web/v2/app/reports/ad_hoc', { clientId: 'sandbox', ...query }, form),
    rake: (form, query = {}) =>
      sendForm('GET', '/api/web/v2/app/users/rake', { clientId: 'sandbox', ...query }, form),
    control: (method, path, body) =>
      send({
        method,
        path: `/sandbox/${path}`,
        ...(body !== undefined && {
          headers: { 'content-type': 'application/json' },
          body: typeof body === 'string' ? body : JSON.stringify(body),
        }),
      }),
    [Symbol.asyncDispose]: () => sandbox.stop(),
  };
}

/** Sends one request on a connection of its own; unlike fetch, also a GET with a body. */
function exchange(origin: string, { method, path, headers = {}, body = '' }: Sent): Promise<Received> {
  return new Promise((resolve, reject) => {
    const request = http.request(origin + path, {
      method,
      agent: false,
      headers: { ...headers, ...(body && { 'content-length': Buffer.byteLength(body) }) },
    });
    request.on('error', reject).on('response', (response) => {
      const chunks: Buffer[] = [];
      response
        .on('data', (chunk: Buffer) => chunks.push(chunk))
        .on('error', reject)
        .on('end', () => {
          const bytes = Buffer.concat(chunks);
          const text = bytes.toString();
          const { statusCode = 0, headers: received } = response;
          resolve({
            status: statusCode,
            headers: received,
            bytes,
            text,
            get json(): unknown {
              return JSON.parse(text);
            },
          });
        });
    });
    request.end(body);
  });
}

/** The canonical string of parameters that are strings and integers, computed independently of the sandbox's code. */
export function canonicalOf(parameters: unknown): string {
  if (typeof parameters !== 'object' || parameters === null) return String(parameters);
  const members = Object.entries(parameters).sort(([left], [right]) => (left < right ? -1 : 1));
  return members.map(([, member]) => canonicalOf(member)).join('');
}
