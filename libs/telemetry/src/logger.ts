import { createHmac } from 'node:crypto';

import type { LoggerService } from '@nestjs/common';
import {
  destination,
  type DestinationStream,
  type Logger,
  type LoggerOptions,
  pino,
  stdTimeFunctions,
} from 'pino';

import { describeError } from './describe-error.ts';

/** The longest that a line is buffered. */
const GATHER_MS = 50;
/** More than a busy worker writes in that time, so that usually the time decides: each write wakes another thread. */
const GATHER_BYTES = 64 * 1024;
/** The longest character in UTF-8, counted as JavaScript counts them. */
const MOST_BYTES = 3;

/**
 * Buffers lines and writes many at a time: writing a single line costs more than formatting it (8 µs a command, decision
 * 0008). They are kept as bytes: a concatenated text is a tree of objects, which each garbage collection would visit.
 */
export class GatheredLines implements DestinationStream {
  readonly #target: DestinationStream;
  readonly #lines = Buffer.allocUnsafeSlow(GATHER_BYTES);
  #bytes = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(target: DestinationStream) {
    this.#target = target;
  }

  write(line: string): void {
    const mostBytes = MOST_BYTES * line.length;
    if (this.#bytes + mostBytes > GATHER_BYTES) this.flush();
    if (mostBytes > GATHER_BYTES) {
      this.#target.write(line);
      return;
    }
    this.#bytes += this.#lines.write(line, this.#bytes);
    this.#timer ??= setTimeout(() => this.flush(), GATHER_MS).unref();
  }

  /** Writes the buffered lines. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#bytes === 0) return;
    const lines = this.#lines.toString('utf8', 0, this.#bytes);
    this.#bytes = 0;
    this.#target.write(lines);
  }
}

export type { Logger } from 'pino';

/** The levels of the setting `LOG_LEVEL`, from the quietest. */
export const LOG_LEVELS = ['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const;

export type LogLevel = (typeof LOG_LEVELS)[number];

/** The size of the lines that have not been read yet; beyond it lines are dropped, as the log must not stop the service. */
const MAX_UNREAD_BYTES = 16 * 1024 * 1024;

/**
 * A logger that writes one JSON object a line, with ISO times and level names. Lines reach standard output within
 * 50 ms, and all of them when the process ends by itself or by `process.exit`.
 *
 * An error under `err` or `cause` is described without its message if that could hold data; never log the data of a
 * command or an answer.
 *
 * @param stream default: standard output
 */
export function createLogger(level: LogLevel, stream: DestinationStream = standardOutput()): Logger {
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

function standardOutput(): DestinationStream {
  const lines = new GatheredLines({ write: (text) => output.write(text) });
  // Before the listener of the destination itself, which flushes what it was given.
  process.once('exit', () => lines.flush());
  const output = destination({ sync: false, maxLength: MAX_UNREAD_BYTES });
  return lines;
}

/** Writes Nest's own messages to the log of the service. They describe the framework's start, so they are for debugging. */
export class NestLogger implements LoggerService {
  readonly #logger: Logger;

  constructor(logger: Logger) {
    this.#logger = logger.child({ from: 'nest' });
  }

  log(message: unknown): void {
    this.#logger.debug(String(message));
  }

  warn(message: unknown): void {
    this.#logger.warn(String(message));
  }

  error(message: unknown): void {
    if (message instanceof Error) this.#logger.error({ err: message }, 'Nest reports an error');
    else this.#logger.error(String(message));
  }

  debug(message: unknown): void {
    this.#logger.trace(String(message));
  }

  verbose(message: unknown): void {
    this.#logger.trace(String(message));
  }
}

/** 128 bits: two players never share one. */
const DIGITS = 32;

/**
 * How log lines name a player of an operator: the same on each line, and nothing that leads back to the player without
 * the key.
 *
 * @param key setting `LOG_SUBJECT_KEY`
 */
export function subjectOf(key: string, operator: string, player: string): string {
  // As JSON, no two pairs make the same text.
  const pair = JSON.stringify([operator, player]);
  return createHmac('sha256', key).update(pair).digest('hex').slice(0, DIGITS);
}
