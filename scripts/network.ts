import { connect, createServer } from 'node:net';

/** Below the range from which systems give ports to outgoing connections, which would take one in between. */
const FIRST = 20_000;
const LAST = 32_000;

/** Loopback ports on which nobody listens now, each different. */
export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) {
    const port = FIRST + Math.floor(Math.random() * (LAST - FIRST));
    if (await isFree(port)) ports.add(port);
  }
  return [...ports];
}

export function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

const TIMEOUT_MS = 2_000;
const AMQP_HEADER = Buffer.from([0x41, 0x4d, 0x51, 0x50, 0, 0, 9, 1]);
const AMQP_METHOD_FRAME = 1;

/** Whether a broker on this loopback port answers the first frame of AMQP 0-9-1. */
export function speaksAmqp(port: number): Promise<boolean> {
  return answers(port, AMQP_HEADER, (data) => data[0] === AMQP_METHOD_FRAME);
}

/** Whether a Redis on this loopback port answers. */
export function speaksRedis(port: number): Promise<boolean> {
  return answers(port, 'PING\r\n', (data) => data.toString().startsWith('+PONG'));
}

function answers(
  port: number,
  question: string | Uint8Array,
  isRight: (answer: Buffer) => boolean,
): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(question));
    const end = (isAnswered: boolean): void => {
      socket.destroy();
      resolve(isAnswered);
    };
    socket.setTimeout(TIMEOUT_MS, () => end(false));
    socket.once('data', (data) => end(isRight(data)));
    socket.once('error', () => end(false));
    socket.once('close', () => end(false));
  });
}
