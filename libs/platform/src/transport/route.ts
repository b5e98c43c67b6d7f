import { ADDRCONFIG, type LookupAddress } from 'node:dns';
import http from 'node:http';
import https from 'node:https';
import { isIP, type LookupFunction, type Socket } from 'node:net';

import { buildConnector } from 'undici';

import { type TlsContext, tlsFaultOf } from '#tls';

import type { PlatformTransport } from '../platform-settings.ts';
import { DnsCache } from './dns-cache.ts';
import { READ_IN_PLACE } from './read-in-place.ts';

const DNS = new DnsCache();

/** Delay before the next address of a host is tried in parallel. */
const NEXT_ADDRESS_MS = 250;

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
  stream: { destroy(error: Error): unknown };
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
    const attempt: Attempt = (own, end) =>
      // undici's types omit the returned socket. Destroying it is the only way to abort a connection attempt.
      connect({ ...options, ...own }, end) as unknown as Socket;
    const { hostname } = options;
    const isKnown = options.httpSocket !== undefined || isIP(hostname) > 0;
    const stream = isKnown ? attempt({}, callback) : connectByName(hostname, lookup, attempt, callback);
    return { isAtProxy: false, stream };
  };
}

type Attempt = (own: Partial<buildConnector.Options>, end: buildConnector.Callback) => Socket;

/**
 * Connects to the address of a host that answers first. The next address is tried 250 ms after the previous
 * one, or as soon as that has failed, and earlier attempts continue. Node.js, by contrast, abandons each
 * address after 250 ms.
 */
function connectByName(
  hostname: string,
  lookup: LookupFunction,
  attempt: Attempt,
  callback: buildConnector.Callback,
): Connecting['stream'] {
  const open = new Set<Socket>();
  const errors: Error[] = [];
  let addresses: readonly string[] = [];
  let tried = 0;
  let isEnded = false;
  let timer: NodeJS.Timeout | undefined;
  const end: buildConnector.Callback = (...result) => {
    if (isEnded) return;
    isEnded = true;
    clearTimeout(timer);
    for (const socket of open) if (socket !== result[1]) socket.destroy();
    callback(...result);
  };
  const tryNext = (): void => {
    clearTimeout(timer);
    const address = addresses[tried];
    if (isEnded || address === undefined) return;
    tried += 1;
    const socket = attempt({ hostname: address, servername: hostname }, (...result) => {
      const [error] = result;
      if (error === null) return end(...result);
      errors.push(error);
      open.delete(socket);
      // A rejected certificate is more informative than an address that does not answer.
      if (errors.length === addresses.length) end(errors.find(tlsFaultOf) ?? errors[0] ?? error, null);
      else tryNext();
    });
    open.add(socket);
    timer = setTimeout(tryNext, NEXT_ADDRESS_MS);
  };
  lookup(hostname, { all: true, hints: ADDRCONFIG }, (error, found) => {
    if (error) return end(error, null);
    addresses = inOrder(found as LookupAddress[]);
    tryNext();
  });
  return { destroy: (error) => end(error, null) };
}

/** Puts the first address of each family first, because one family may not work at all. */
function inOrder(found: readonly LookupAddress[]): readonly string[] {
  const firsts = [...new Map(found.toReversed().map((each) => [each.family, each])).values()].toReversed();
  return [...new Set([...firsts, ...found])].map(({ address }) => address);
}

/**
 * Connects to a target (`host:port`) through a proxy tunnel; `connect` then sets up TLS inside the tunnel.
 */
function tunnelConnector(proxy: URL, target: string, lookup: LookupFunction, connect: Connector): Connector {
  const { request: open } = proxy.protocol === 'https:' ? https : http;
  const options = {
    method: 'CONNECT',
    host: proxy.hostname.replace(/^\[|\]$/g, ''),
    port: proxy.port,
    path: target,
    headers: { host: target, ...authorizationOf(proxy) },
    agent: false,
    lookup,
  };
  return (tunnelled, callback) => {
    const request = open(options);
    const connecting: Connecting = { isAtProxy: true, stream: request };
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
