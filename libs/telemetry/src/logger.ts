import { createHmac, type KeyObject } from 'node:crypto';

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
import { standardOutput } from './standard-output.ts';

export type { Logger } from 'pino';

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
