import type { BusNames, ErrorCode } from '#contracts';

import type { OutgoingMessage } from '../publishing/outgoing-message.ts';
import type { CommandInHand } from './command-in-hand.ts';
import { copyOf } from './copy-of.ts';

const LONGEST_KEPT_BYTES = 1024;

/** The copy of a command that will not be tried again, with the reason. Source: bus contract, section 5. */
export function deadLetterOf(
  command: CommandInHand,
  code: ErrorCode,
  names: BusNames,
  nowMs: number,
): OutgoingMessage {
  const { message, queue } = command.delivery;
  const isOversized = code === 'MESSAGE_TOO_LARGE';
  return copyOf(command, {
    queue: names.deadLetters,
    headers: {
      'x-reason': code,
      'x-failed-at': new Date(nowMs).toISOString(),
      'x-origin-queue': queue,
      ...(isOversized && { 'x-origin-bytes': message.content.length }),
    },
    ...(isOversized && { content: message.content.subarray(0, LONGEST_KEPT_BYTES) }),
  });
}
