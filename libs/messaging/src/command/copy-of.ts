import type { BusNames, ErrorBody } from '#contracts';
import { DIRECT_REPLY_TO, type OutgoingMessage } from '#rabbitmq';

import { ANONYMOUS, isShortString } from '../envelope/reply-address.ts';
import type { Command } from './command.ts';
import { failureFactsOf } from './command-facts.ts';
import type { Copy, Settlement } from './settlement.ts';

type Original = Pick<Command, 'envelope'> & { readonly delivery: Pick<Command['delivery'], 'message'> };

/** The headers and properties that a copy keeps of a command; all others that a caller set are dropped. */
const CARRIED_HEADERS = ['schema-version', 'traceparent', 'tracestate'];
const CARRIED_PROPERTIES = ['correlationId', 'contentType', 'contentEncoding', 'appId'] as const;
const LONGEST_HEADER = 1024;

/**
 * A copy of a command's message: persistent, mandatory, with a fixed list of properties and headers, and with the
 * identity and the deadline that it had. A kept `CC` would route it to further queues, and a kept `user_id` closes
 * the channel. Source: bus contract, section 5.
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
        // Never dropped, however it was written: a copy without one would run with the credentials of `default`.
        operator: envelope.operator.slice(0, LONGEST_HEADER),
        ...(envelope.cancelsWithQueue && { 'x-cancel-with-queue': true }),
        'x-deadline': envelope.deadlineAtMs,
        ...headers,
      },
      messageId: envelope.id,
      // A packet keeps its type in its body, and would not be one with the property.
      ...(form === 'typed' && type !== '' && isShortString(type) && { type }),
      ...Object.fromEntries(texts.map((name) => [name, properties[name] as string])),
      // The broker refuses the bare pseudo-queue from a publisher that does not consume it.
      ...(isShortString(replyTo) && replyTo !== DIRECT_REPLY_TO && { replyTo }),
      ...(Number.isSafeInteger(timestamp) && { timestamp: Number(timestamp) }),
    },
  };
}

/** The copy of a command that will not be tried again, with the reason. Source: bus contract, section 5. */
export function deadLetterOf(command: Command, failure: ErrorBody, names: BusNames): OutgoingMessage {
  const { queue, bodyBytes } = command.delivery;
  return copyOf(command, {
    queue: names.deadLetters,
    headers: {
      'x-reason': failure.code,
      'x-failure': JSON.stringify(failureFactsOf(failure)),
      'x-failed-at': new Date(command.nowMs()).toISOString(),
      'x-origin-queue': queue,
      // After the failure that is answered now: the reply to a redriven command must not look like a repeat of it.
      'x-sequence': command.replies.sequence + 1,
      // The rest of its body was dropped when it came.
      ...(failure.code === 'MESSAGE_TOO_LARGE' && { 'x-origin-bytes': bodyBytes }),
    },
  });
}

/** What a command carries from queue to queue, so that its replies continue where they ended, with the next number. */
export function progressHeaders({ replies, context, envelope }: Command): Record<string, string | number> {
  const { sequence, stalledSinceMs } = replies;
  const progress = context?.progress ? JSON.stringify(context.progress) : envelope.own['x-progress'];
  return {
    'x-sequence': sequence,
    ...(progress !== undefined && { 'x-progress': progress }),
    ...(stalledSinceMs !== undefined && { 'x-stalled-since': stalledSinceMs }),
  };
}

/** To another queue. The replies of a command that was postponed or redriven are numbered on wherever it goes. */
export function moveTo(queue: string, command: Command, headers: Copy['headers'] = {}): Settlement {
  const numbered = command.envelope.own['x-sequence'] !== undefined && progressHeaders(command);
  return { kind: 'move', copy: { queue, headers: { ...headers, ...numbered } } };
}

function carried(headers: Record<string, unknown>): Record<string, string | number> {
  const kept: Record<string, string | number> = {};
  for (const name of CARRIED_HEADERS) {
    const value = headers[name];
    // A number that is no integer of 64 bits cannot be written again; as text it is at least seen.
    if (typeof value === 'number') kept[name] = Number.isSafeInteger(value) ? value : String(value);
    else if (typeof value === 'string' && value.length <= LONGEST_HEADER) kept[name] = value;
  }
  return kept;
}
