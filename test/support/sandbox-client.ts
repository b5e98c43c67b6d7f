import { hash } from 'node:crypto';
import http from 'node:http';

import { until } from './until.ts';

const SECRET = 'sandbox-secret-key';

export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Received {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly bytes: Buffer;
  readonly text: string;
  /** The parsed body; throws if it is not JSON. */
  readonly json: any;
}

/** A request to the platform in the sandbox's log. */
interface LoggedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Form;
  readonly body: string;
}

type Form = Readonly<Record<string, string>>;

/** A client of a sandbox: of its platform API, with the default credentials, and of its control API. */
export class SandboxClient {
  url: string;

  constructor(url: string) {
    this.url = url;
  }

  /** Sends one request on a connection of its own. Unlike fetch, it can send a GET with a body. */
  async send({ method, path, headers = {}, body = '' }: Sent): Promise<Received> {
    const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
      const all = {
        'user-agent': 'test',
        ...headers,
        ...(body && { 'content-length': Buffer.byteLength(body) }),
      };
      const request = http.request(this.url + path, { method, agent: false, headers: all });
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

  get(path: string): Promise<Received> {
    return this.send({ method: 'GET', path });
  }

  session(userId: string, form: Form = {}, headers: Form = {}): Promise<Received> {
    const path = `/api/web/v2/app/users/${encodeURIComponent(userId)}/session`;
    return this.#sendForm('POST', path, {}, { userId, ...form }, headers);
  }

  /** @param canonical the signed string without the secret; the default supports strings and integers */
  openGame(attributes: object, canonical = canonicalOfGame(attributes), query = 'client=sandbox') {
    return this.send({
      method: 'POST',
      path: `/apiweb/v3/open-game?${query}`,
      headers: { 'content-type': 'application/vnd.api+json', sign: digest(canonical) },
      body: JSON.stringify({ data: { type: 'OpenGame', attributes } }),
    });
  }

  /** Opens a game, and returns the URL that the player opens. */
  async gameUrl(session: object, player: object = { id: 'ada' }): Promise<string> {
    return (await this.openGame({ session, player })).json.data.attributes.url;
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

  /** Returns the answer of the control API. @throws {Error} if it has none */
  async shown(path: string): Promise<any> {
    const { status, json, text } = await this.control('GET', path);
    if (status !== 200) throw new Error(`${path}: ${status} ${text}`);
    return json;
  }

  /** Enables a fault until it was injected `count` times, or until `clearFaults`. */
  async fault(rule: object): Promise<void> {
    const { status, text } = await this.control('POST', 'faults', rule);
    if (status !== 201) throw new Error(text);
  }

  async clearFaults(): Promise<void> {
    await this.control('DELETE', 'faults');
  }

  /** Resolves with the last request to the platform, once none is in flight. */
  async lastRequest(): Promise<LoggedRequest> {
    await until('every request has ended', async () => {
      const counters: any[] = Object.values(await this.shown('counters'));
      return counters.every(({ received, answered, unanswered }) => {
        const counts = Object.values<number>(answered);
        return received === counts.reduce((sum, count) => sum + count, unanswered);
      });
    });
    const [last] = await this.shown('requests');
    if (last === undefined) throw new Error('the platform has received nothing');
    return last as LoggedRequest;
  }

  async lastGame(): Promise<Readonly<Record<'player' | 'session', Readonly<Record<string, unknown>>>>> {
    return JSON.parse((await this.lastRequest()).body).data.attributes;
  }

  /**
   * Returns the number of requests so far for an operation (`session`, `open-game`, `ad-hoc-report`, `rake`).
   */
  async received(operation: string): Promise<number> {
    return (await this.shown('counters'))[operation].received;
  }

  player(userId: string): Promise<Readonly<Record<string, unknown>>> {
    return this.shown(`players/${encodeURIComponent(userId)}`);
  }

  #sendForm(method: string, path: string, query: Form, form: Form, headers: Form = {}): Promise<Received> {
    const all = { clientId: 'sandbox', ...query };
    return this.send({
      method,
      path: `${path}?${new URLSearchParams(all)}`,
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        sign: signFlat({ ...all, ...form }),
        ...headers,
      },
      body: new URLSearchParams(form).toString(),
    });
  }
}

/** Returns the digest of a canonical string, computed independently of the sandbox's code. */
export function digest(canonical: string, secret = SECRET): string {
  return hash('sha256', canonical + secret);
}

/** Returns the signature of parameters that are plain strings. */
export function signFlat(parameters: Form, secret = SECRET): string {
  const { clientId: _, page: __, 'per-page': ___, sort: ____, ...signed } = parameters;
  return digest(canonicalOf(signed), secret);
}

/**
 * Returns the canonical string of parameters that are strings and numbers, computed independently of the
 * sandbox's code.
 */
function canonicalOf(parameters: unknown): string {
  if (typeof parameters !== 'object' || parameters === null) return String(parameters);
  const members = Object.entries(parameters).sort(([left], [right]) => (left < right ? -1 : 1));
  return members.map(([, member]) => canonicalOf(member)).join('');
}

function canonicalOfGame(attributes: object): string {
  return canonicalOf({ client: 'sandbox', data: { attributes, type: 'OpenGame' } });
}
