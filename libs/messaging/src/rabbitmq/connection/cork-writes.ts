import type { ChannelModel } from 'amqplib';

interface Corkable {
  write(...args: unknown[]): boolean;
  cork(): void;
  uncork(): void;
}

/**
 * Sends all that is written within one turn of the event loop in one system call, while amqplib makes one for each
 * frame: a command costs several frames, and half of a busy worker's time went into the calls.
 */
export function corkWrites(model: ChannelModel): void {
  const { stream } = (model as unknown as { connection: { stream: Corkable } }).connection;
  const write = stream.write.bind(stream);
  let isCorked = false;
  const uncork = (): void => {
    isCorked = false;
    stream.uncork();
  };
  stream.write = (...args) => {
    if (!isCorked) {
      isCorked = true;
      stream.cork();
      setImmediate(uncork);
    }
    return write(...args);
  };
}
