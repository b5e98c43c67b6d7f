import { destination, type Logger, type LoggerOptions, pino, type DestinationStream } from 'pino';

import { describeError } from './describe-error.ts';
import { GatheredLines } from './gathered-lines.ts';
import { timeMember } from './time-member.ts';

export type { Logger } from 'pino';

/** The levels of the setting `LOG_LEVEL`, from the quietest. */
export const LOG_LEVELS = ['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** The size of the lines that have not been read yet; beyond it lines are dropped, as the log must not stop the service. */
const MAX_UNREAD_BYTES = 16 * 1024 * 1024;

const streams = new WeakMap<Logger, DestinationStream>();

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
    timestamp: timeMember,
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
  const logger = pino(options, stream);
  streams.set(logger, stream);
  return logger;
}

/** The stream that a logger of `createLogger` writes to; undefined for a child of it. */
export function streamOf(logger: Logger): DestinationStream | undefined {
  return streams.get(logger);
}

function standardOutput(): DestinationStream {
  const lines = new GatheredLines({ write: (text) => output.write(text) });
  // Before the listener of the destination itself, which flushes what it was given.
  process.once('exit', () => lines.flush());
  const output = destination({ sync: false, maxLength: MAX_UNREAD_BYTES });
  return lines;
}
