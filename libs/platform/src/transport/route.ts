import type { PlatformTransport } from '../platform-settings.ts';
import { type Connector, directConnector, proxyConnector, tunnelConnector } from './connector.ts';
import { Names } from './names.ts';
import { Proxy } from './proxy.ts';

/** Those that this process has resolved. */
const NAMES = new Names();

/** How requests reach an origin. */
export interface Route {
  /** Of what is connected to: the platform, or a proxy that carries requests out. */
  readonly origin: string;
  /** What precedes the path of a request. */
  readonly prefix: string;
  /** What every request carries for the proxy, as undici takes headers. */
  readonly headers: readonly string[];
  readonly connect: Connector;
}

/** Straight to an origin, through a tunnel of the proxy if it is encrypted, or by the proxy's own requests if it is not. */
export function routeTo(
  origin: string,
  { tls, proxyUrl, names = NAMES }: PlatformTransport,
  timeoutMs: number,
): Route {
  const { lookup } = names;
  const direct = directConnector(timeoutMs, lookup, tls);
  if (proxyUrl === undefined) return { origin, prefix: '', headers: [], connect: direct };
  const proxy = new Proxy(proxyUrl, lookup);
  const { protocol, hostname, host, port } = new URL(origin);
  if (protocol === 'https:') {
    const target = `${hostname}:${port || 443}`;
    return { origin, prefix: '', headers: [], connect: tunnelConnector(proxy, target, direct) };
  }
  return {
    origin: proxy.origin,
    prefix: origin,
    headers: ['host', host, ...proxy.headers],
    // What the platform is trusted by, and what it is shown, is not for the proxy.
    connect: proxyConnector(directConnector(timeoutMs, lookup)),
  };
}
