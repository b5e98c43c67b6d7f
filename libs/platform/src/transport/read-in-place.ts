// Saves at least 3 % of the CPU time per command at full load. By default, Node.js allocates 64 KiB for each
// read and shrinks the buffer to the received length (docs/decisions/0008).

import type { Socket } from 'node:net';

const MAX_BYTES = 64 * 1024;

/** Socket options: all sockets read into this one buffer, and the received bytes are copied out of it. */
export const READ_IN_PLACE = { onread: { buffer: Buffer.allocUnsafeSlow(MAX_BYTES), callback: take } };

function take(this: Socket, length: number, memory: Uint8Array): boolean {
  const bytes = Buffer.allocUnsafe(length);
  bytes.set(memory.subarray(0, length));
  return this.push(bytes);
}
