import { connect } from 'node:net';

/** Whether a Redis on this loopback port answers. */
export function answersPing(port: number, timeoutMs = 1_000): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('PING\r\n'));
    const end = (isAnswered: boolean): void => {
      socket.destroy();
      resolve(isAnswered);
    };
    socket.setTimeout(timeoutMs, () => end(false));
    socket.once('data', (data) => end(data.toString().startsWith('+PONG')));
    socket.once('error', () => end(false));
    socket.once('close', () => end(false));
  });
}
