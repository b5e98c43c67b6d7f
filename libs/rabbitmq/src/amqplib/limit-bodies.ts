import type { Channel } from 'amqplib';

/** What is kept of a body that is too large: as much as its dead letter shows. */
const KEPT_BYTES = 1024;

/**
 * Keeps the beginning of every body that is too large, and drops the rest as it arrives: the broker delivers it whole, and
 * amqplib would put a whole prefetch of them together in memory.
 *
 * @returns how long the body of the message is that the channel delivers, to be called within the delivery
 */
export function limitBodies(channel: Channel, maxBytes: number): () => number {
  /** Takes properties with the size of a body, or a part of the body, as amqplib decodes them. */
  const raw = channel as unknown as { acceptMessageFrame(frame: { size?: number; content?: Buffer }): void };
  const accept = raw.acceptMessageFrame.bind(raw);
  let bytes = 0;
  /** What is still to be kept of a body that is too large. */
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
      // A copy, since a part keeps alive all that was read from the socket with it.
      const kept = Buffer.from(content.subarray(0, wanted));
      wanted -= kept.length;
      accept({ ...frame, content: kept });
    }
  };
  return () => bytes;
}
