import { request as plainRequest, type ClientRequest } from 'node:http';
import { request as encryptedRequest } from 'node:https';
import type { LookupFunction } from 'node:net';

/** The proxy is what failed, and not the platform. */
export class ProxyError extends Error {
  override readonly name = 'ProxyError';
  /** What it answered instead of connecting; absent if there is no connection to it. */
  readonly status: number | undefined;

  constructor(status?: number) {
    super(status === undefined ? 'the proxy cannot be reached' : 'the proxy refuses to connect');
    this.status = status;
  }
}

/** An HTTP proxy, asked for calls to the platform. */
export class Proxy {
  readonly origin: string;
  /** The headers by which it knows who asks, as undici takes them; they hold its password. */
  readonly headers: readonly string[];
  readonly #url: URL;
  readonly #lookup: LookupFunction;

  /** @param address `http:` or `https:`; it may hold a user name and a password */
  constructor(address: string, lookup: LookupFunction) {
    this.#url = new URL(address);
    this.#lookup = lookup;
    this.origin = this.#url.origin;
    const { username, password } = this.#url;
    const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    this.headers =
      credentials === ':'
        ? []
        : ['proxy-authorization', `Basic ${Buffer.from(credentials).toString('base64')}`];
  }

  /**
   * Asks for a tunnel; the request emits `connect` with the answer, whatever that is.
   *
   * @param target host and port
   */
  requestTunnel(target: string): ClientRequest {
    const { protocol, hostname, port } = this.#url;
    const isEncrypted = protocol === 'https:';
    const request = isEncrypted ? encryptedRequest : plainRequest;
    return request({
      method: 'CONNECT',
      host: hostname.replace(/^\[|\]$/g, ''),
      port: port || (isEncrypted ? 443 : 80),
      path: target,
      headers: ['host', target, ...this.headers],
      agent: false,
      lookup: this.#lookup,
    });
  }
}
