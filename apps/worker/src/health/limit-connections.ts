import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** Far more than probes and scrapes need at once. */
const MAX_CONNECTIONS = 64;
/** Far longer than a scrape takes. */
const LONGEST_MS = 10_000;

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
    if (open.size >= MAX_CONNECTIONS)
      open
        .values()
        .find((other) => !isHeld(other))
        ?.destroy();
    open.add(socket);
    const timer = setTimeout(() => isHeld(socket) || socket.destroy(), LONGEST_MS).unref();
    socket.once('close', () => {
      clearTimeout(timer);
      open.delete(socket);
    });
  });
}
