import { connect } from 'node:net';

const PROTOCOL_HEADER = Buffer.from([0x41, 0x4d, 0x51, 0x50, 0, 0, 9, 1]);
const METHOD_FRAME = 1;

/** Whether a broker on this loopback port answers the first frame of AMQP 0-9-1. */
export function speaksAmqp(port: number, timeoutMs = 2_000): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(PROTOCOL_HEADER));
    const end = (isAnswered: boolean): void => {
      socket.destroy();
      resolve(isAnswered);
    };
    socket.setTimeout(timeoutMs, () => end(false));
    socket.once('data', (data) => end(data[0] === METHOD_FRAME));
    socket.once('error', () => end(false));
    socket.once('close', () => end(false));
  });
}
