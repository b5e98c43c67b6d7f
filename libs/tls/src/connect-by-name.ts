import { ADDRCONFIG, lookup as resolveBySystem, type LookupAddress } from 'node:dns';
import { connect, isIP, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

import { type TlsMaterial, tlsFaultOf } from './tls-context.ts';

/** Delay before the next address of a host is tried in parallel. */
const NEXT_ADDRESS_MS = 250;

/** Called once, with a connected socket or with the reason why there is none. */
export type OnConnected = (...result: [null, Socket] | [Error, null]) => void;

/** Destroying it aborts all attempts. */
export interface Attempts {
  destroy(error: Error): unknown;
}

/**
 * Connects to the address of a host that answers first. The next address is tried 250 ms after the previous
 * one, or as soon as that has failed, and earlier attempts continue. Node.js, by contrast, abandons each
 * address after 250 ms. There is no other time limit.
 *
 * @param attempt connects to one address
 */
export function connectByName(
  host: string,
  lookup: LookupFunction,
  attempt: (address: string, onConnected: OnConnected) => Socket,
  callback: OnConnected,
): Attempts {
  if (isIP(host)) return attempt(host, callback);
  const open = new Set<Socket>();
  const errors: Error[] = [];
  let addresses: readonly string[] = [];
  let tried = 0;
  let isEnded = false;
  let timer: NodeJS.Timeout | undefined;
  const end: OnConnected = (...result) => {
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
    const socket = attempt(address, (...result) => {
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
  lookup(host, { all: true, hints: ADDRCONFIG }, (error, found) => {
    if (error) return end(error, null);
    addresses = inOrder(found as LookupAddress[]);
    tryNext();
  });
  return { destroy: (error) => end(error, null) };
}

/** Where a socket leads. */
export interface SocketTarget {
  /** A name, or an address without brackets. */
  readonly host: string;
  readonly port: number;
  /** Default: no TLS. */
  readonly tls?: TlsMaterial | undefined;
  /** Default: the system's. */
  readonly lookup?: LookupFunction | undefined;
}

/** Connects a socket to the address of a host that answers first. */
export function connectSocket({ host, port, tls, lookup }: SocketTarget, callback: OnConnected): Attempts {
  const attempt = (address: string, onConnected: OnConnected): Socket => {
    const to = { host: address, port };
    const servername = isIP(host) ? {} : { servername: host };
    const socket = tls ? connectTls({ ...tls, ...to, ...servername }) : connect(to);
    const onError = (error: Error): void => onConnected(error, null);
    socket.once('error', onError).once(tls ? 'secureConnect' : 'connect', () => {
      socket.off('error', onError);
      onConnected(null, socket);
    });
    return socket;
  };
  return connectByName(host, lookup ?? resolveBySystem, attempt, callback);
}

/** Puts the first address of each family first, because one family may not work at all. */
function inOrder(found: readonly LookupAddress[]): readonly string[] {
  const firsts = [...new Map(found.toReversed().map((each) => [each.family, each])).values()].toReversed();
  return [...new Set([...firsts, ...found])].map(({ address }) => address);
}
