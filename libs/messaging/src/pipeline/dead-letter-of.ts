import type { BusNames, ErrorCode } from '#contracts';

import type { OutgoingMessage } from '../rabbitmq/publishing/outgoing-message.ts';
import type { Command } from '../command/command.ts';
import { copyOf } from '../command/copy-of.ts';
import { SEQUENCE } from '../envelope/own-headers.ts';
import { KEPT_BYTES } from '../rabbitmq/consuming/limit-bodies.ts';

/** The copy of a command that will not be tried again, with the reason. Source: bus contract, section 5. */
export function deadLetterOf(
  command: Command,
  code: ErrorCode,
  names: BusNames,
  nowMs: number,
): OutgoingMessage {
  const { message, queue, bodyBytes } = command.delivery;
  const isOversized = code === 'MESSAGE_TOO_LARGE';
  return copyOf(command, {
    queue: names.deadLetters,
    headers: {
      'x-reason': code,
      'x-failed-at': new Date(nowMs).toISOString(),
      'x-origin-queue': queue,
      // After the failure that is answered now: the reply to a redriven command must not look like a repeat of it.
      [SEQUENCE]: command.run.sequence + 1,
      ...(isOversized && { 'x-origin-bytes': bodyBytes }),
    },
    ...(isOversized && { content: message.content.subarray(0, KEPT_BYTES) }),
  });
}
