import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { isIPv4, isIPv6, type Socket } from 'node:net';

/** Far more than probes and scrapes need at once. */
const MAX_CONNECTIONS = 64;
/** Far longer than a scrape takes. */
const LONGEST_MS = 10_000;
/** A host name, an IPv4 address or a bracketed IPv6 address, with an optional port. */
const AUTHORITY = /^(?:\[([^[\]]+)\]|([^:[\]]+))(?::\d*)?$/;
/** An absolute-form request target, as sent to proxies: a complete URL instead of a path. */
const ABSOLUTE_FORM = /^[a-z][a-z\d+.-]*:\/\/([^/?#]*)/i;
const ADVICE = 'Ask for this worker by an address, as localhost, or by a name in HTTP_HOSTS.\n';

/**
 * Keeps a server responsive whatever its clients do. A connection carries one request and lasts at most ten
 * seconds. When there are too many connections, the oldest is closed.
 *
 * @param isHeld true for a connection that is exempt from both limits; the caller limits their number
 */
export function limitConnections(server: Server, isHeld: (socket: Socket) => boolean): void {
  const open = new Set<Socket>();
  Object.assign(server, { maxRequestsPerSocket: 1 });
  server.on('connection', (socket: Socket) => {
    if (open.size >= MAX_CONNECTIONS) [...open].find((other) => !isHeld(other))?.destroy();
    open.add(socket);
    const timer = setTimeout(() => isHeld(socket) || socket.destroy(), LONGEST_MS).unref();
    socket.once('close', () => {
      clearTimeout(timer);
      open.delete(socket);
    });
  });
}

/**
 * Rejects a request for another host with 421, before any route. A foreign page can direct a browser here
 * under a name of its own (DNS rebinding), which the `Host` header reveals. Source: bus contract, section 8.
 *
 * @param names further names of this worker, in lower case
 */
export function refuseForeignHosts(names: readonly string[] = []) {
  const own = new Set(['localhost', ...names.map(withoutDot)]);
  return (request: IncomingMessage, response: ServerResponse, next: () => void): void => {
    if (hostsOf(request).every((host) => isOwnHost(host, own))) return next();
    response.writeHead(421, { 'content-type': 'text/plain', connection: 'close' }).end(ADVICE);
  };
}

/**
 * All hosts that a request names: the `Host` header may occur twice, and an absolute-form target names
 * another host.
 */
function hostsOf({ headersDistinct, url = '' }: IncomingMessage): readonly string[] {
  const [, target] = ABSOLUTE_FORM.exec(url) ?? [];
  return [...(headersDistinct['host'] ?? ['']), ...(target === undefined ? [] : [target])];
}

function isOwnHost(host: string, own: ReadonlySet<string>): boolean {
  const [, bracketed, name = ''] = AUTHORITY.exec(host) ?? [];
  if (bracketed !== undefined) return isIPv6(bracketed);
  return isIPv4(name) || own.has(withoutDot(name.toLowerCase()));
}

/** Removes a trailing dot. A name with a trailing dot is the same name without search domains. */
function withoutDot(name: string): string {
  return name.replace(/\.$/, '');
}
