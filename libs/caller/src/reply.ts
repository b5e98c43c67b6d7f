import { randomUUID } from 'node:crypto';

import { isFinalReplyType, type Reply as ContractReply } from '@poker-bridge/contracts';
import type { Delivery } from '@poker-bridge/rabbitmq';

import { CallerError } from './caller-error.ts';

/** Only such a text can hold an integer that a double does not. */
const LONG_INTEGER = /\d{16}/;
/** A string, or a number. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;
const WHOLE_LONG_INTEGER = /^-?\d{16,}$/;
/** Nobody who writes a message knows it. */
const MARK = randomUUID();

/**
 * Parses JSON without losing digits: an integer beyond 2^53 becomes a bigint. `JSON.parse` gives the source text of a
 * number from Node.js 21 on, so such a number is parsed as a marked string.
 *
 * @throws SyntaxError, which may quote the text
 */
export function parseExactJson(text: string): unknown {
  if (!LONG_INTEGER.test(text)) return JSON.parse(text);
  const marked = text.replace(TOKEN, (token) => {
    const isExact = !WHOLE_LONG_INTEGER.test(token) || Number.isSafeInteger(Number(token));
    return isExact ? token : `"${MARK}${token}"`;
  });
  return JSON.parse(marked, (_name, value: unknown) =>
    typeof value === 'string' && value.startsWith(MARK) ? BigInt(value.slice(MARK.length)) : value,
  );
}

export type ReplyDelivery = Pick<Delivery, 'message' | 'acknowledge'>;

/** One reply: type and data of `Reply` in the contracts, and where it belongs. */
export type BusReply = ContractReply & {
  /** Identifies this reply alone, also if it is delivered again: the message id, the type, and the time of a failure. */
  readonly id: string;
  readonly commandId: string;
  readonly correlationId: string;
  /** From 0, within the replies to one command. */
  readonly sequence: number;
  readonly isFinal: boolean;
  readonly traceparent?: string;
};

/** Reads a reply, integers beyond 2^53 as bigint. @throws CallerError `REPLY_UNREADABLE` */
export function readReply({ properties, content }: Delivery['message']): BusReply {
  const { sequence, final, traceparent } = (properties.headers ?? {}) as Readonly<Record<string, unknown>>;
  const type = String(properties.type);
  const commandId = commandIdOf({ properties });
  const data = dataOf(content, commandId);
  const occurredAt = type === 'command.failed' ? ` ${String(data['occurredAt'])}` : '';
  return {
    id: `${String(properties.messageId)} ${type}${occurredAt}`,
    type,
    data,
    commandId,
    correlationId: String(properties.correlationId),
    sequence: Number(sequence),
    isFinal: final === true || isFinalReplyType(type),
    ...(typeof traceparent === 'string' && { traceparent }),
  } as unknown as BusReply;
}

export function commandIdOf({ properties }: Pick<Delivery['message'], 'properties'>): string {
  return String(properties.headers?.['command-id'] ?? properties.correlationId);
}

function dataOf(content: Buffer, commandId: string): Record<string, unknown> {
  try {
    const data = parseExactJson(content.toString());
    if (typeof data === 'object' && data !== null) return data as Record<string, unknown>;
  } catch {
    // What it holds is not repeated: it may be a token.
  }
  throw CallerError.of('REPLY_UNREADABLE', commandId);
}
