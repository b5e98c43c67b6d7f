// Saves a system call for each line of a worker that is not busy: 18 µs of CPU time a line at 300 lines a
// second, and 4 of 19 µs in a hot loop, compared with pino's default destination.
import { write, writeSync } from 'node:fs';

import type { DestinationStream } from 'pino';

/** The longest time that a line is buffered, unless `GATHER_BYTES` is reached first. */
const GATHER_MS = 50;
const GATHER_BYTES = 16 * 1024;
/**
 * The maximum size of unwritten lines. Further lines are dropped, because the log must not stop the service.
 */
const MAX_UNREAD_BYTES = 16 * 1024 * 1024;
/** How long the process waits at exit for a reader that has paused, unless the pipe itself blocks. */
const LAST_WRITE_MS = 1_000;
const STANDARD_OUTPUT = 1;
const NOTHING = Buffer.alloc(0);

/**
 * Writes buffered lines, one write at a time. Drops lines that cannot be written because the disk is full or
 * the reader has gone: pino's own destination would throw, and keep the process from exiting.
 */
export function standardOutput(): DestinationStream {
  let lines: string[] = [];
  let piece: Buffer = NOTHING;
  /** The total size of `lines` and `piece`, in bytes. */
  let bytes = 0;
  let isWriting = false;
  let timer: NodeJS.Timeout | undefined;
  const gather = (): Buffer => {
    const gathered = Buffer.from(lines.join(''));
    lines = [];
    return gathered;
  };
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (isWriting || bytes === 0) return;
    if (piece.length === 0) piece = gather();
    isWriting = true;
    write(STANDARD_OUTPUT, piece, (error, written) => {
      isWriting = false;
      const taken = error ? lostIn(error, piece) : written;
      piece = piece.subarray(taken);
      bytes -= taken;
      // If no timer is running, the remaining lines have been buffered for long enough.
      if (taken > 0 && (timer === undefined || bytes >= GATHER_BYTES)) flush();
      else timer ??= setTimeout(flush, GATHER_MS);
    });
  };
  process.on('exit', () => {
    const untilMs = performance.now() + LAST_WRITE_MS;
    // The write thread finishes the write in progress, but bytes that do not fit into a non-blocking pipe are
    // lost.
    for (let rest = Buffer.concat([isWriting ? NOTHING : piece, gather()]); rest.length > 0;) {
      try {
        rest = rest.subarray(writeSync(STANDARD_OUTPUT, rest));
      } catch (error) {
        if (lostIn(error, rest) > 0 || performance.now() > untilMs) return;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, GATHER_MS);
      }
    }
  });
  return {
    write(line) {
      if (bytes > MAX_UNREAD_BYTES) return;
      lines.push(line);
      bytes += Buffer.byteLength(line);
      if (bytes >= GATHER_BYTES && piece.length === 0) flush();
      else timer ??= setTimeout(flush, GATHER_MS);
    },
  };
}

/** Returns the bytes lost by a failed write: none if the reader has paused, because it may continue later. */
function lostIn(error: unknown, { length }: Buffer): number {
  return (error as NodeJS.ErrnoException).code === 'EAGAIN' ? 0 : length;
}
