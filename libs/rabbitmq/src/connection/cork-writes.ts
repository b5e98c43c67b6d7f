// With `consuming/acknowledgements.ts`, system calls for writing went from 26 % to 15 % of the time of a worker
// (docs/decisions/0008). Without it all is the same, at one system call a frame.

import type { ChannelModel } from 'amqplib';

interface Corkable {
  write(...args: unknown[]): boolean;
  cork(): void;
  uncork(): void;
}

/** Sends all frames that amqplib writes one after the other, which are those of a turn, in one system call. */
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
      process.nextTick(uncork);
    }
    return write(...args);
  };
}
