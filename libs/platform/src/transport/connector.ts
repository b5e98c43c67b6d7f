import { type LookupFunction, Socket } from 'node:net';

import { buildConnector } from 'undici';

import type { TlsContext } from '#tls';

import { type Proxy, ProxyError } from './proxy.ts';

/** A connection that is being made. */
export interface Connecting {
  /** Whether it waits for the proxy, and not for the platform. */
  readonly isAtProxy: boolean;
  cutOff(error: Error): void;
}

/** Makes a connection, as undici's clients want it, that can be cut off meanwhile. */
export type Connector = (options: buildConnector.Options, callback: buildConnector.Callback) => Connecting;

/** Connects to the address itself. */
export function directConnector(timeoutMs: number, lookup: LookupFunction, tls?: TlsContext): Connector {
  let material = tls?.material;
  let connect = buildConnector({ allowH2: false, timeout: timeoutMs, lookup, ...material });
  return (options, callback) => {
    if (material !== tls?.material) {
      material = tls?.material;
      connect = buildConnector({ allowH2: false, timeout: timeoutMs, lookup, ...material });
    }
    // Its types do not say that it returns the socket, by which alone connecting can be ended.
    const socket: unknown = connect(options, callback);
    return {
      isAtProxy: false,
      cutOff: (error) => {
        if (socket instanceof Socket) socket.destroy(error);
      },
    };
  };
}

/** Connects to a proxy that carries requests out by itself. */
export function proxyConnector(connectToProxy: Connector): Connector {
  return (options, callback) => {
    const connecting = connectToProxy(options, (...[error, socket]) => {
      if (error) callback(new ProxyError(), null);
      else callback(null, socket);
    });
    return { isAtProxy: true, cutOff: (error) => connecting.cutOff(error) };
  };
}

/**
 * Connects by a tunnel through a proxy.
 *
 * @param target host and port
 * @param connect makes an encrypted connection of the tunnel
 */
export function tunnelConnector(proxy: Proxy, target: string, connect: Connector): Connector {
  return (options, callback) => {
    let inTunnel: Connecting | undefined;
    const request = proxy.requestTunnel(target);
    request.once('connect', ({ statusCode = 0 }, socket) => {
      if (statusCode >= 200 && statusCode < 300) {
        inTunnel = connect({ ...options, httpSocket: socket }, callback);
        return;
      }
      socket.destroy();
      callback(new ProxyError(statusCode), null);
    });
    request.on('error', () => {
      if (!inTunnel) callback(new ProxyError(), null);
    });
    request.end();
    return {
      get isAtProxy() {
        return inTunnel === undefined;
      },
      cutOff: (error) => {
        if (inTunnel) inTunnel.cutOff(error);
        else request.destroy(error);
      },
    };
  };
}
