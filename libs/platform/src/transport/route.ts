import http from 'node:http';
import type { LookupFunction, Socket } from 'node:net';

import { buildConnector } from 'undici';

import { type Attempts, connectByName, connectSocket, type OnConnected, type TlsContext } from '#tls';

import type { PlatformTransport } from '../platform-settings.ts';
import { DnsCache } from './dns-cache.ts';
import { READ_IN_PLACE } from './read-in-place.ts';

const DNS = new DnsCache();

/** A failure of the proxy, not of the platform. */
export class ProxyError extends Error {
  override readonly name = 'ProxyError';

  /** @param status the proxy's HTTP status for a refused CONNECT; absent if the proxy could not be reached */
  constructor(readonly status?: number) {
    super('the proxy refuses to connect, or cannot be reached');
  }
}

/** A connection attempt in progress. */
export interface Connecting {
  /** True while the attempt waits for the proxy rather than for the platform. */
  isAtProxy: boolean;
  /** Destroying this stream aborts the attempt. */
  stream: Attempts;
}

/** An undici connector that also returns a handle for aborting the attempt. */
export type Connector = (options: buildConnector.Options, callback: buildConnector.Callback) => Connecting;

type Headers = Readonly<Record<string, string>>;

/** How requests reach a platform. */
export interface Route {
  /** The origin to connect to: the platform, or a proxy that forwards plain HTTP requests. */
  readonly origin: string;
  /** The prefix of every request path. */
  readonly prefix: string;
  /** Headers for the proxy, added to every request. */
  readonly headers: Headers;
  readonly connect: Connector;
}

/**
 * Returns the route to an origin: direct without a proxy, through a CONNECT tunnel for HTTPS, or forwarded by
 * the proxy for plain HTTP.
 *
 * @param timeoutMs connect timeout in milliseconds; default: none, because each attempt has its own limit
 */
export function routeTo(
  origin: string,
  { tls, proxyUrl, dns: { lookup } = DNS }: PlatformTransport,
  timeoutMs = 0,
): Route {
  const direct = directConnector(timeoutMs, lookup, tls);
  if (proxyUrl === undefined) return { origin, prefix: '', headers: {}, connect: direct };
  const proxy = new URL(proxyUrl);
  const { protocol, hostname, host, port } = new URL(origin);
  if (protocol === 'https:') {
    const connect = tunnelConnector(proxy, `${hostname}:${port || 443}`, lookup, direct);
    return { origin, prefix: '', headers: {}, connect };
  }
  // The certificates for the platform do not apply to the connection to the proxy.
  const toProxy = directConnector(timeoutMs, lookup);
  const connect: Connector = (options, callback) => {
    const connecting = toProxy(options, (...[error, socket]) =>
      error ? callback(new ProxyError(), null) : callback(null, socket),
    );
    return { ...connecting, isAtProxy: true };
  };
  const headers = { host, ...authorizationOf(proxy) };
  return { origin: proxy.origin, prefix: origin, headers, connect };
}

function directConnector(timeoutMs: number, lookup: LookupFunction, tls?: TlsContext): Connector {
  const build = () =>
    buildConnector({ allowH2: false, timeout: timeoutMs, lookup, ...READ_IN_PLACE, ...tls?.material });
  let material = tls?.material;
  let connect = build();
  return (options, callback) => {
    if (material !== tls?.material) {
      material = tls?.material;
      connect = build();
    }
    const { hostname, httpSocket } = options;
    const attempt = (address: string, onConnected: OnConnected): Socket => {
      const own = address === hostname ? {} : { hostname: address, servername: hostname };
      // undici's types omit the returned socket. Destroying it is the only way to abort a connection attempt.
      return connect({ ...options, ...own }, onConnected) as unknown as Socket;
    };
    const stream = httpSocket
      ? attempt(hostname, callback)
      : connectByName(hostname, lookup, attempt, callback);
    return { isAtProxy: false, stream };
  };
}

/**
 * Connects to a target (`host:port`) through a proxy tunnel; `connect` then sets up TLS inside the tunnel.
 */
function tunnelConnector(proxy: URL, target: string, lookup: LookupFunction, connect: Connector): Connector {
  const isEncrypted = proxy.protocol === 'https:';
  const toProxy = {
    host: proxy.hostname.replace(/^\[|\]$/g, ''),
    port: Number(proxy.port) || (isEncrypted ? 443 : 80),
    tls: isEncrypted ? {} : undefined,
    lookup,
  };
  const headers = { host: target, ...authorizationOf(proxy) };
  return (tunnelled, callback) => {
    let attempts: Attempts | undefined;
    const createConnection: http.RequestOptions['createConnection'] = (_, onConnected) => {
      attempts = connectSocket(toProxy, onConnected as OnConnected);
      return undefined;
    };
    const request = http.request({ method: 'CONNECT', path: target, headers, createConnection });
    const destroy = (error: Error): void => {
      request.destroy(error);
      // Without a socket, the request would not end.
      attempts?.destroy(error);
    };
    const connecting: Connecting = { isAtProxy: true, stream: { destroy } };
    request.once('connect', ({ statusCode = 0 }, socket) => {
      if (statusCode >= 200 && statusCode < 300) {
        const { stream } = connect({ ...tunnelled, httpSocket: socket }, callback);
        Object.assign(connecting, { isAtProxy: false, stream });
      } else {
        socket.destroy();
        callback(new ProxyError(statusCode), null);
      }
    });
    request.on('error', () => {
      if (connecting.isAtProxy) callback(new ProxyError(), null);
    });
    request.end();
    return connecting;
  };
}

/** Returns the header that authenticates this service to the proxy. */
function authorizationOf({ username, password }: URL): Headers {
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  if (credentials === ':') return {};
  return { 'proxy-authorization': `Basic ${Buffer.from(credentials).toString('base64')}` };
}
