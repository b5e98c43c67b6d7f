import type { BusNames, ErrorBody } from '#contracts';
import { DIRECT_REPLY_TO, type OutgoingMessage } from '#rabbitmq';

import { ANONYMOUS, isShortString } from '../envelope/reply-address.ts';
import type { Command } from './command.ts';
import { failureFactsOf } from './command-facts.ts';
import type { Copy, Settlement } from './settlement.ts';

type Original = Pick<Command, 'envelope'> & { readonly delivery: Pick<Command['delivery'], 'message'> };

/** The headers and properties that a copy keeps; all others that a caller set are dropped. */
const CARRIED_HEADERS = ['schema-version', 'traceparent', 'tracestate'];
const CARRIED_PROPERTIES = ['correlationId', 'contentType', 'contentEncoding', 'appId'] as const;
const LONGEST_HEADER = 1024;

/**
 * Returns a copy of a command's message: persistent, mandatory, with a fixed list of properties and headers,
 * and with its original identity and deadline. A `CC` would route it to further queues, and a `user_id` would
 * close the channel. Source: bus contract, section 5.
 */
export function copyOf({ delivery, envelope }: Original, { queue, headers }: Copy): OutgoingMessage {
  const { properties, content } = delivery.message;
  const timestamp: unknown = properties.timestamp;
  const replyTo: unknown = properties.replyTo;
  const texts = CARRIED_PROPERTIES.filter((name) => isShortString(properties[name]));
  const { form, type, own } = envelope;
  const { 'x-redriven': redriven } = own;
  return {
    exchange: '',
    routingKey: queue,
    content,
    mandatory: true,
    properties: {
      headers: {
        ...carried(properties.headers ?? {}),
        ...(redriven !== undefined && { 'x-redriven': redriven }),
        ...(envelope.caller !== ANONYMOUS && { 'x-origin-user-id': envelope.caller }),
        // The operator is never dropped, however it was written: a copy without one would run with the
        // credentials of `default`.
        operator: envelope.operator.slice(0, LONGEST_HEADER),
        ...(envelope.cancelsWithQueue && { 'x-cancel-with-queue': true }),
        'x-deadline': envelope.deadlineAtMs,
        ...headers,
      },
      messageId: envelope.id,
      // A packet has its type in its body, and would not be a packet with the property.
      ...(form === 'typed' && type !== '' && isShortString(type) && { type }),
      ...Object.fromEntries(texts.map((name) => [name, properties[name] as string])),
      // The broker refuses the bare pseudo-queue from a publisher that does not consume from it.
      ...(isShortString(replyTo) && replyTo !== DIRECT_REPLY_TO && { replyTo }),
      ...(Number.isSafeInteger(timestamp) && { timestamp: Number(timestamp) }),
    },
  };
}

/** Returns the dead letter of a command, with the reason. Source: bus contract, section 5. */
export function deadLetterOf(command: Command, failure: ErrorBody, names: BusNames): OutgoingMessage {
  const { queue, bodyBytes } = command.delivery;
  return copyOf(command, {
    queue: names.deadLetters,
    headers: {
      'x-reason': failure.code,
      'x-failure': JSON.stringify(failureFactsOf(failure)),
      'x-failed-at': new Date(command.nowMs()).toISOString(),
      'x-origin-queue': queue,
      // The number after that of the failure, so that the reply to a redriven command does not look like its
      // repeat.
      'x-sequence': command.replies.sequence + 1,
      // The rest of the body was dropped when the message arrived.
      ...(failure.code === 'MESSAGE_TOO_LARGE' && { 'x-origin-bytes': bodyBytes }),
    },
  });
}

/**
 * Returns the headers with which the replies of a command continue with the next number, whichever queue it
 * goes to.
 */
export function progressHeaders(command: Command): Record<string, string | number> {
  const { sequence, stalledSinceMs } = command.replies;
  const progress = command.progress ? JSON.stringify(command.progress) : command.envelope.own['x-progress'];
  return {
    'x-sequence': sequence,
    ...(progress !== undefined && { 'x-progress': progress }),
    ...(stalledSinceMs !== undefined && { 'x-stalled-since': stalledSinceMs }),
  };
}

/** Returns the move to another queue. The replies of a postponed or redriven command keep their numbering. */
export function moveTo(queue: string, command: Command, headers: Copy['headers'] = {}): Settlement {
  const numbered = command.envelope.own['x-sequence'] !== undefined && progressHeaders(command);
  return { kind: 'move', copy: { queue, headers: { ...headers, ...numbered } } };
}

function carried(headers: Record<string, unknown>): Record<string, string | number> {
  const kept: Record<string, string | number> = {};
  for (const name of CARRIED_HEADERS) {
    const value = headers[name];
    // A number that is not a 64-bit integer cannot be written again; as text it stays visible.
    if (typeof value === 'number') kept[name] = Number.isSafeInteger(value) ? value : String(value);
    else if (typeof value === 'string' && value.length <= LONGEST_HEADER) kept[name] = value;
  }
  return kept;
}
