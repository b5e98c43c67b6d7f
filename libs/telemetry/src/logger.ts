import { createHmac, type KeyObject } from 'node:crypto';
import { write, writeSync } from 'node:fs';

import type { LoggerService } from '@nestjs/common';
import {
  type DestinationStream,
  type Level,
  type LevelWithSilent,
  type Logger,
  type LoggerOptions,
  pino,
  stdTimeFunctions,
} from 'pino';

import { describeError } from './describe-error.ts';

export type { Logger } from 'pino';

/**
 * The longest time that a line is buffered, unless `GATHER_BYTES` is reached first: writing each line
 * separately costs more than formatting it.
 */
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
 * Creates a logger that writes one JSON object per line, with ISO times and level names. Lines reach standard
 * output within 50 ms, and all of them when the process exits by itself or by `process.exit`.
 *
 * An error under `err` or `cause` is logged without its message if the message could contain data; never
 * log such data.
 *
 * @param stream default: standard output
 */
export function createLogger(level: LevelWithSilent, stream: DestinationStream = standardOutput()): Logger {
  const options: LoggerOptions = {
    level,
    base: null,
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    serializers: { err: describeError, cause: describeError },
    hooks: {
      // If a line has no message, pino would use the message of its error.
      logMethod([first, message, ...rest], log) {
        if (message !== undefined || typeof first === 'string') log.call(this, first, message, ...rest);
        else log.call(this, first instanceof Error ? { err: first } : first, '');
      },
    },
  };
  return pino(options, stream);
}

/**
 * Writes buffered lines, one write at a time. Drops lines that cannot be written because the disk is full or
 * the reader has gone: pino's own destination would throw, and keep the process from exiting.
 */
function standardOutput(): DestinationStream {
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

/** Logs Nest's own messages. Those about the framework's startup are logged at debug level. */
export function nestLogger(logger: Logger): LoggerService {
  const nest = logger.child({ from: 'nest' });
  const at =
    (level: Level) =>
    (message: unknown): void =>
      message instanceof Error
        ? nest[level]({ err: message }, 'Nest reported an error')
        : nest[level](String(message));
  return { log: at('debug'), warn: at('warn'), error: at('error'), debug: at('trace'), verbose: at('trace') };
}

/** Hexadecimal digits for 128 bits, so that two players do not collide. */
const DIGITS = 32;

/**
 * Returns the pseudonym of an operator's player in log lines: the same in each line, and irreversible without
 * the key.
 *
 * @param key setting `LOG_SUBJECT_KEY`
 */
export function subjectOf(key: string | KeyObject, operator: string, player: string): string {
  // JSON makes the text unambiguous: no two pairs have the same one.
  const pair = JSON.stringify([operator, player]);
  return createHmac('sha256', key).update(pair).digest('hex').slice(0, DIGITS);
}
