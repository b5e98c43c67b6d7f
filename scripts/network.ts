import { connect } from 'node:net';

/**
 * Below the range of ports for outgoing connections, which could occupy a port before it is bound; even after
 * adding 10,000, as Redis in cluster mode does.
 */
const FIRST = 11_000;
const LAST = 22_700;

/** Returns distinct loopback ports that are currently free. */
export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) {
    const port = FIRST + Math.floor(Math.random() * (LAST - FIRST));
    if (!(await isListening(port))) ports.add(port);
  }
  return [...ports];
}

/**
 * Returns true if a server accepts connections on this loopback port. RabbitMQ and Redis do so when they are
 * ready.
 */
export function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.destroy());
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(false));
  });
}

export function isAnswered(url: string): Promise<boolean> {
  return fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );
}
