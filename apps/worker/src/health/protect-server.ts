import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { isIPv4, isIPv6, type Socket } from 'node:net';

/** Far more than probes and scrapes need at once. */
const MAX_CONNECTIONS = 64;
/** Far longer than a scrape takes. */
const LONGEST_MS = 10_000;
/** A host, an IPv6 address in its brackets, and perhaps a port. */
const AUTHORITY = /^(?:\[([^[\]]+)\]|([^:[\]]+))(?::\d*)?$/;
/** The target of a request that was meant for a proxy: a whole URL instead of a path. */
const ABSOLUTE_FORM = /^[a-z][a-z\d+.-]*:\/\/([^/?#]*)/i;
const ADVICE = 'Ask for this worker by an address, as localhost, or by a name in HTTP_HOSTS.\n';

/**
 * Keeps a server able to answer, whatever its clients do or fail to do: a connection carries one request and lasts ten
 * seconds at most, and one too many takes the place of the oldest.
 *
 * @param isHeld whether a connection may last longer, and keeps its place; somebody else limits their number
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
 * Answers 421 to a request for another host, before any route: a browser that looks at a foreign page can be led here by a
 * name of that page (DNS rebinding), which `Host` tells. Source: bus contract, section 8.
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

/** Each host that a request names: a header may stand twice, and a request for a proxy names a second one. */
function hostsOf({ headersDistinct, url = '' }: IncomingMessage): readonly string[] {
  const [, target] = ABSOLUTE_FORM.exec(url) ?? [];
  return [...(headersDistinct['host'] ?? ['']), ...(target === undefined ? [] : [target])];
}

function isOwnHost(host: string, own: ReadonlySet<string>): boolean {
  const [, bracketed, name = ''] = AUTHORITY.exec(host) ?? [];
  if (bracketed !== undefined) return isIPv6(bracketed);
  return isIPv4(name) || own.has(withoutDot(name.toLowerCase()));
}

/** A name with a dot at its end is the same name, never completed by a search domain. */
function withoutDot(name: string): string {
  return name.replace(/\.$/, '');
}
