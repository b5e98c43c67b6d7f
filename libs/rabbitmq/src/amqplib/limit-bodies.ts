import type { Channel } from 'amqplib';

/** Bytes kept of a body that is too large: as many as its dead letter shows. */
const KEPT_BYTES = 1024;

/**
 * Truncates every body longer than `maxBytes` while it arrives. The broker delivers bodies whole, and amqplib
 * would assemble a whole prefetch of them in memory.
 *
 * @returns a function that returns the original length of the body being delivered; call it synchronously in
 *   the consumer
 */
export function limitBodies(channel: Channel, maxBytes: number): () => number {
  /** amqplib's handler for decoded frames: properties with the size of the body, or a part of the body. */
  const raw = channel as unknown as { acceptMessageFrame(frame: { size?: number; content?: Buffer }): void };
  const accept = raw.acceptMessageFrame.bind(raw);
  let bytes = 0;
  /** Bytes still to keep of a body that is too large. */
  let wanted = Infinity;
  raw.acceptMessageFrame = (frame) => {
    const { size, content } = frame;
    if (size !== undefined) {
      bytes = size;
      wanted = size > maxBytes ? Math.min(size, KEPT_BYTES) : Infinity;
      accept(wanted === Infinity ? frame : { ...frame, size: wanted });
    } else if (content === undefined) {
      accept(frame);
    } else if (wanted > 0) {
      // Copied, because a slice would keep the whole buffer read from the socket alive.
      const kept = Buffer.from(content.subarray(0, wanted));
      wanted -= kept.length;
      accept({ ...frame, content: kept });
    }
  };
  return () => bytes;
}
