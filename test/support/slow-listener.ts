import { once } from 'node:events';
import { connect } from 'node:net';
import { Worker } from 'node:worker_threads';

/** Blocks its own thread, so that the kernel drops connections beyond its backlog of two. */
const LISTENER = `
const { connect, createServer } = require('node:net');
const { parentPort, workerData } = require('node:worker_threads');
const server = createServer((client) => {
  const target = connect(workerData.port, '127.0.0.1');
  const end = () => [client, target].forEach((socket) => socket.destroy());
  for (const socket of [client, target]) socket.on('error', end).on('close', end);
  client.pipe(target).pipe(client);
});
server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => parentPort.postMessage(server.address().port));
parentPort.on('message', (durationMs) => {
  parentPort.postMessage('held up');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, durationMs);
});
`;
/** A client's kernel resends its first packet after a second; the listener accepts again long before. */
const HELD_UP_MS = 400;

/**
 * Starts a path to a local port on which the next connection takes a second, as if the server were far away.
 *
 * @returns the port on 127.0.0.1, and `slowDown`, to be called right before the connection
 */
export async function startSlowListener(port: number) {
  const worker = new Worker(LISTENER, { eval: true, workerData: { port } });
  const [own] = (await once(worker, 'message')) as [number];
  return {
    port: own,
    async slowDown(): Promise<void> {
      const heldUp = once(worker, 'message');
      // oxlint-disable-next-line unicorn/require-post-message-target-origin
      worker.postMessage(HELD_UP_MS);
      await heldUp;
      const waiting = [1, 2, 3].map(() => connect(own, '127.0.0.1'));
      for (const socket of waiting)
        socket.on('error', () => undefined).setTimeout(HELD_UP_MS, () => socket.destroy());
      await Promise.all(waiting.slice(0, 2).map((socket) => once(socket, 'connect')));
    },
    [Symbol.asyncDispose]: async () => void (await worker.terminate()),
  };
}
