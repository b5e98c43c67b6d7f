import { createHash } from 'node:crypto';
import http from 'node:http';

import { afterAll, beforeAll, beforeEach } from '@jest/globals';

import { readSettings, type Settings } from '../../../apps/sandbox/src/settings/settings.ts';
import { type RunningSandbox, startSandbox } from '../../../apps/sandbox/src/start-sandbox.ts';

const SECRET = 'sandbox-secret-key';
const FORM = 'application/x-www-form-urlencoded';

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

type Form = Readonly<Record<string, string>>;

/** A sandbox on a free port, and what a test needs to talk to it. */
export class SandboxUnderTest implements AsyncDisposable {
  #running: RunningSandbox | undefined;

  async start(variables: Form = {}, overrides: Partial<Settings> = {}): Promise<this> {
    const settings = readSettings({ SANDBOX_PORT: '0', ...variables });
    this.#running = await startSandbox({ ...settings, ...overrides });
    return this;
  }

  get url(): string {
    return this.#running?.url ?? '';
  }

  send(request: Sent): Promise<Received> {
    return exchange(this.url, request);
  }

  get(path: string): Promise<Received> {
    return this.send({ method: 'GET', path });
  }

  session(userId: string, form: Form = {}, headers: Form = {}): Promise<Received> {
    const path = `/api/web/v2/app/users/${encodeURIComponent(userId)}/session`;
    return this.#sendForm('POST', path, {}, { userId, ...form }, headers);
  }

  /** @param canonical the string that is signed, before the secret */
  openGame(attributes: object, canonical = canonicalOfGame(attributes), query = 'client=sandbox') {
    return this.send({
      method: 'POST',
      path: `/apiweb/v3/open-game?${query}`,
      headers: { 'content-type': 'application/vnd.api+json', sign: digest(canonical) },
      body: JSON.stringify({ data: { type: 'OpenGame', attributes } }),
    });
  }

  adHoc(form: Form, query: Form = {}): Promise<Received> {
    return this.#sendForm('POST', '/api/web/v2/app/reports/ad_hoc', query, form);
  }

  rake(form: Form, query: Form = {}): Promise<Received> {
    return this.#sendForm('GET', '/api/web/v2/app/users/rake', query, form);
  }

  control(method: string, path: string, body?: unknown): Promise<Received> {
    return this.send({
      method,
      path: `/sandbox/${path}`,
      ...(body !== undefined && {
        headers: { 'content-type': 'application/json' },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    });
  }

  /** What the control API shows. */
  async shown(path: string): Promise<any> {
    return (await this.control('GET', path)).json;
  }

  /** Switches a fault on. */
  async play(fault: object): Promise<void> {
    const { status, text } = await this.control('POST', 'faults', fault);
    if (status !== 201) throw new Error(text);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#running?.stop();
  }

  #sendForm(method: string, path: string, query: Form, form: Form, headers: Form = {}): Promise<Received> {
    const all = { clientId: 'sandbox', ...query };
    return this.send({
      method,
      path: `${path}?${new URLSearchParams(all)}`,
      headers: { 'content-type': FORM, sign: signFlat({ ...all, ...form }), ...headers },
      body: new URLSearchParams(form).toString(),
    });
  }
}

/** Starts a sandbox from variables, and from settings that no variable can hold. */
export function startSandboxUnderTest(variables: Form = {}, overrides: Partial<Settings> = {}) {
  return new SandboxUnderTest().start(variables, overrides);
}

/** One sandbox for all tests of a file or a block, reset before each. */
export function sharedSandbox(variables: Form = {}): SandboxUnderTest {
  const sandbox = new SandboxUnderTest();
  beforeAll(async () => void (await sandbox.start(variables)));
  beforeEach(async () => void (await sandbox.control('POST', 'reset')));
  afterAll(async () => sandbox[Symbol.asyncDispose]());
  return sandbox;
}

/** The digest of a canonical string, computed independently of the sandbox's code. */
export function digest(canonical: string, secret = SECRET): string {
  return createHash('sha256').update(canonical, 'utf8').update(secret, 'utf8').digest('hex');
}

/** The signature of parameters that are plain strings. */
export function signFlat(parameters: Form, secret = SECRET): string {
  const { clientId: _, page: __, 'per-page': ___, sort: ____, ...signed } = parameters;
  return digest(canonicalOf(signed), secret);
}

/** The canonical string of parameters that are strings and numbers, computed independently of the sandbox's code. */
export function canonicalOf(parameters: unknown): string {
  if (typeof parameters !== 'object' || parameters === null) return String(parameters);
  const members = Object.entries(parameters).sort(([left], [right]) => (left < right ? -1 : 1));
  return members.map(([, member]) => canonicalOf(member)).join('');
}

function canonicalOfGame(attributes: object): string {
  return canonicalOf({ client: 'sandbox', data: { attributes, type: 'OpenGame' } });
}

/** Sends one request on a connection of its own; unlike fetch, also a GET with a body. */
async function exchange(origin: string, { method, path, headers = {}, body = '' }: Sent): Promise<Received> {
  const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
    const all = { ...headers, ...(body && { 'content-length': Buffer.byteLength(body) }) };
    const request = http.request(origin + path, { method, agent: false, headers: all });
    request.on('error', reject).on('response', resolve).end(body);
  });
  const bytes = Buffer.concat(await response.toArray());
  const text = bytes.toString();
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    bytes,
    text,
    get json(): unknown {
      return JSON.parse(text);
    },
  };
}
