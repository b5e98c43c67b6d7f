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

/** How long an address may take before the next one of its name is tried as well. */
const NEXT_ADDRESS_MS = 250;

/** The proxy is what failed, and not the platform. */
export class ProxyError extends Error {
  override readonly name = 'ProxyError';

  /** @param status what it answered instead of connecting; absent if there is no connection to it */
  constructor(readonly status?: number) {
    super('the proxy refuses to connect, or cannot be reached');
  }
}

/** A connection that is being made. */
export interface Connecting {
  /** Whether it waits for the proxy, and not for the platform. */
  isAtProxy: boolean;
  /** What to destroy to cut it off. */
  stream: { destroy(error: Error): unknown };
}

/** Makes a connection, as undici's clients want it, that can be cut off meanwhile. */
export type Connector = (options: buildConnector.Options, callback: buildConnector.Callback) => Connecting;

type Headers = Readonly<Record<string, string>>;

/** How requests reach a platform. */
export interface Route {
  /** Of the platform, or of a proxy that carries requests out. */
  readonly origin: string;
  /** What precedes the path of a request. */
  readonly prefix: string;
  /** What every request carries for the proxy. */
  readonly headers: Headers;
  readonly connect: Connector;
}

/**
 * Straight to an origin, through a tunnel of the proxy if it is encrypted, or by the proxy's own requests if it is not.
 *
 * @param timeoutMs of connecting; default: none, the attempt has a limit
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
  // What the platform is trusted by, and what it is shown, is not for the proxy.
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
      // Its types do not say that it returns the socket, by which alone connecting can be ended.
      connect({ ...options, ...own }, end) as unknown as Socket;
    const { hostname } = options;
    const isKnown = options.httpSocket !== undefined || isIP(hostname) > 0;
    const stream = isKnown ? attempt({}, callback) : connectByName(hostname, lookup, attempt, callback);
    return { isAtProxy: false, stream };
  };
}

type Attempt = (own: Partial<buildConnector.Options>, end: buildConnector.Callback) => Socket;

/**
 * Connects to the first address of a name that answers. Each further one is tried a quarter of a second after the one before,
 * or once that has failed, and none is given up meanwhile; Node.js gives each a quarter of a second in all.
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
      // A certificate that is refused says more than an address that does not answer.
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

/** The first address of each family comes first: one family may not work at all. */
function inOrder(found: readonly LookupAddress[]): readonly string[] {
  const firsts = [...new Map(found.toReversed().map((each) => [each.family, each])).values()].toReversed();
  return [...new Set([...firsts, ...found])].map(({ address }) => address);
}

/** Connects to a target, host and port, by a tunnel through a proxy, of which `connect` makes an encrypted connection. */
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

/** The header by which a proxy knows who asks. */
function authorizationOf({ username, password }: URL): Headers {
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  if (credentials === ':') return {};
  return { 'proxy-authorization': `Basic ${Buffer.from(credentials).toString('base64')}` };
}
