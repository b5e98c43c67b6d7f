// On a busy machine, it makes an acknowledgement leave some 10 ms earlier (docs/reliability.md, "Why a reply comes twice").
// Without it all is the same, and more replies come twice.

import type { ChannelModel } from 'amqplib';

/** What frames pass on their way to the socket; amqplib's types do not declare it. */
interface Mux {
  scheduledRead: boolean;
  _scheduleRead(): void;
  _readIncoming(): void;
}

/**
 * Sends frames once the callback that wrote them has ended, instead of at the end of the turn of the event loop, which is
 * long while the process is busy: an acknowledgement that has not left is lost with its connection.
 */
export function promptWrites(model: ChannelModel): void {
  const { muxer } = (model as unknown as { connection: { muxer: Mux } }).connection;
  muxer._scheduleRead = () => {
    if (muxer.scheduledRead) return;
    muxer.scheduledRead = true;
    process.nextTick(() => {
      muxer.scheduledRead = false;
      muxer._readIncoming();
    });
  };
}
