// With the other parts of the line of an answered command, it saves 8 µs (docs/decisions/0008); the logger would do.

import type { Logger, LogLevel } from './logger.ts';
import { streamOf } from './logger.ts';
import { timeMember } from './time-member.ts';

const PLAIN = /^[ !#-[\]-~]*$/;

/** Whether a text needs no escaping in JSON: printable ASCII without quotation marks and backslashes. */
export function isPlainText(text: string): boolean {
  return PLAIN.test(text);
}

/**
 * Writes lines of one level and message, byte for byte as the logger does, for a line that is written so often that its
 * cost matters.
 *
 * The returned function takes the other members as text, at least one: `"id":"m-1","attempts":1`. The caller makes sure
 * that they need no escaping.
 *
 * @param logger one of `createLogger`; not a child, which has members of its own
 * @param message plain text
 * @returns undefined if the logger has to be used instead: it does not write this level, or is a child
 */
export function lineWriter(
  logger: Logger,
  level: Exclude<LogLevel, 'silent'>,
  message: string,
): ((members: string) => void) | undefined {
  const stream = streamOf(logger);
  if (stream === undefined || !logger.isLevelEnabled(level)) return undefined;
  const start = `{"level":"${level}"`;
  const end = `,"msg":"${message}"}\n`;
  return (members) => {
    stream.write(`${start}${timeMember()},${members}${end}`);
  };
}
