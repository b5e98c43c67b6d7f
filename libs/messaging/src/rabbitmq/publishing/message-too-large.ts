/** The broker takes no message of this size, on whatever channel. */
export class MessageTooLargeError extends Error {
  override readonly name = 'MessageTooLargeError';

  constructor(bytes: number, maxBytes: number) {
    super(`The message has ${bytes} bytes, and the broker takes ${maxBytes} (its setting max_message_size).`);
  }
}

/** The limit that the broker names when it closes a channel for a message. */
export function maxBytesIn({ message }: Error): number | undefined {
  const limit = /larger than (?:configured )?max size (\d+)/.exec(message)?.[1];
  return limit === undefined ? undefined : Number(limit);
}
