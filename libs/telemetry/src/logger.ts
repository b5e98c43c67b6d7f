import { createHmac, type KeyObject } from 'node:crypto';

import type { LoggerService } from '@nestjs/common';
import {
  destination,
  type DestinationStream,
  type Level,
  type LevelWithSilent,
  type Logger,
  type LoggerOptions,
  pino,
  stdTimeFunctions,
} from 'pino';

import { describeError } from './describe-error.ts';

export type { LevelWithSilent as LogLevel, Logger } from 'pino';

/** The longest that a line is buffered, unless enough others come: writing each one costs more than formatting it. */
const GATHER_MS = 50;
const GATHER_BYTES = 16 * 1024 - 1;
/** The size of the lines that have not been read yet; beyond it lines are dropped, as the log must not stop the service. */
const MAX_UNREAD_BYTES = 16 * 1024 * 1024;

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

/** Gathers lines: pino's destination copies all that it has gathered at each line, an eighth of a command's garbage. */
function standardOutput(): DestinationStream {
  const output = destination({
    sync: false,
    minLength: GATHER_BYTES,
    // For what it still holds after a reader that had paused.
    periodicFlush: GATHER_MS,
    maxLength: MAX_UNREAD_BYTES,
  });
  let lines: string[] = [];
  let bytes = 0;
  let timer: NodeJS.Timeout | undefined;
  const passOn = (): void => {
    // pino may have ended it before the process exits.
    if (bytes === 0) return;
    clearTimeout(timer);
    timer = undefined;
    output.write(lines.join(''));
    lines = [];
    bytes = 0;
  };
  // pino's own listener then writes it.
  process.prependListener('exit', passOn);
  const flush = (): void => {
    passOn();
    output.flush();
  };
  return {
    write(line) {
      lines.push(line);
      bytes += Buffer.byteLength(line);
      if (bytes >= GATHER_BYTES) passOn();
      else timer ??= setTimeout(flush, GATHER_MS);
    },
  };
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
