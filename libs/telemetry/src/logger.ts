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

/** The longest that a line is buffered, unless enough others come: writing each one costs more than formatting it. */
const GATHER_MS = 50;
const GATHER_BYTES = 16 * 1024;
/** The size of the lines that have not been read yet; beyond it lines are dropped, as the log must not stop the service. */
const MAX_UNREAD_BYTES = 16 * 1024 * 1024;
/** How long the end of the process waits for a reader that has paused, unless the pipe itself blocks. */
const LAST_WRITE_MS = 1_000;
const STANDARD_OUTPUT = 1;
const NOTHING = Buffer.alloc(0);

/**
 * A logger that writes one JSON object a line, with ISO times and level names. Lines reach standard output within
 * 50 ms, and all of them when the process ends by itself or by `process.exit`.
 *
 * An error under `err` or `cause` is described without its message if that could hold data; never log such data.
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
      // If a line has no message, pino uses that of its error.
      logMethod([first, message, ...rest], log) {
        if (message !== undefined || typeof first === 'string') log.call(this, first, message, ...rest);
        else log.call(this, first instanceof Error ? { err: first } : first, '');
      },
    },
  };
  return pino(options, stream);
}

/**
 * Writes gathered lines, one write at a time. What cannot be written is dropped, on a disk that is full or for a reader that
 * has gone: pino's own destination would throw, and never let the process end.
 */
function standardOutput(): DestinationStream {
  let lines: string[] = [];
  let piece: Buffer = NOTHING;
  /** The size of the lines and the piece. */
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
      // If no timer runs, what is left has waited for long enough.
      if (taken > 0 && (timer === undefined || bytes >= GATHER_BYTES)) flush();
      else timer ??= setTimeout(flush, GATHER_MS);
    });
  };
  process.on('exit', () => {
    const untilMs = performance.now() + LAST_WRITE_MS;
    // Its thread writes what is being written, but loses what a pipe that does not block has no room for.
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

/** How many bytes a failed write has lost: none if its reader has paused, and may take them later. */
function lostIn(error: unknown, { length }: Buffer): number {
  return (error as NodeJS.ErrnoException).code === 'EAGAIN' ? 0 : length;
}

/** Writes Nest's own messages to the log of the service. They describe the framework's start, so they are for debugging. */
export function nestLogger(logger: Logger): LoggerService {
  const nest = logger.child({ from: 'nest' });
  const at =
    (level: Level) =>
    (message: unknown): void =>
      message instanceof Error
        ? nest[level]({ err: message }, 'Nest reports an error')
        : nest[level](String(message));
  return { log: at('debug'), warn: at('warn'), error: at('error'), debug: at('trace'), verbose: at('trace') };
}

/** 128 bits: two players never share one. */
const DIGITS = 32;

/**
 * How log lines name a player of an operator: the same on each line, and nothing that leads back without the key.
 *
 * @param key setting `LOG_SUBJECT_KEY`
 */
export function subjectOf(key: string | KeyObject, operator: string, player: string): string {
  // As JSON, no two pairs make the same text.
  const pair = JSON.stringify([operator, player]);
  return createHmac('sha256', key).update(pair).digest('hex').slice(0, DIGITS);
}
