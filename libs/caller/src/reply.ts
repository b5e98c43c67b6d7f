import { randomUUID } from 'node:crypto';

import { isFinalReplyType, type Reply as ContractReply } from '@poker-bridge/contracts';
import type { Delivery } from '@poker-bridge/rabbitmq';

import { CallerError } from './caller-error.ts';
import { serializable } from './serializable.ts';

/** A text that does not match contains no integer beyond 2^53. */
const LONG_INTEGER = /\d{16}/;
/** A JSON string or number. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;
const WHOLE_LONG_INTEGER = /^-?\d{16,}$/;
/** A random mark, which no author of a message can know. */
const MARK = randomUUID();

/**
 * Parses JSON without losing digits: an integer beyond 2^53 becomes a bigint. Before Node.js 21, `JSON.parse`
 * does not provide the source text of a number, so such a number is parsed as a marked string.
 *
 * @throws SyntaxError, which may quote the text
 */
export function parseExactJson(text: string): unknown {
  if (!LONG_INTEGER.test(text)) return JSON.parse(text);
  const marked = text.replace(TOKEN, (token) => {
    const isExact = !WHOLE_LONG_INTEGER.test(token) || Number.isSafeInteger(Number(token));
    return isExact ? token : `"${MARK}${token}"`;
  });
  return JSON.parse(marked, (_name, value: unknown) => {
    if (typeof value === 'string' && value.startsWith(MARK)) return BigInt(value.slice(MARK.length));
    const isExact = isContainer(value) && Object.values(value).some((member) => typeof member === 'bigint');
    return isExact ? serializable(value) : value;
  });
}

type Check = (value: unknown) => boolean;

const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null;
const isObject: Check = (value) => isContainer(value) && !Array.isArray(value);
const isText: Check = (value) => typeof value === 'string';
const isFlag: Check = (value) => typeof value === 'boolean';
const isCount: Check = (value) => Number.isSafeInteger(value) && Number(value) >= 0;
const isListOfObjects: Check = (value) => Array.isArray(value) && value.every(isObject);
const isCommand: Check = (value) => isObject(value) && isText((value as { readonly id?: unknown }).id);
const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);

/** The members that callers and this library rely on. Types that are not listed are not checked. */
const MEMBERS: ReadonlyMap<string, Readonly<Record<string, Check>>> = new Map([
  ['session.created', { userId: isText }],
  ['game.opened', { url: isText }],
  ['report.page', { page: isCount, totalCount: isCount, readAt: isText, records: isListOfObjects }],
  [
    'report.completed',
    { totalCount: isCount, changedWhileReading: isFlag, readFrom: isText, readTo: isText },
  ],
  [
    'command.failed',
    {
      code: isText,
      category: isText,
      retryable: isFlag,
      message: isText,
      command: isCommand,
      occurredAt: isText,
      retryAfterMs: optional(isCount),
      violations: optional(isListOfObjects),
      details: optional(isObject),
      platform: optional(isObject),
    },
  ],
]);
/** Deeper data overflows the stack of most programs that traverse it, including `JSON.stringify`. */
const MAX_DEPTH = 500;
const UTF_8 = new TextDecoder('utf-8', { fatal: true });

export type ReplyDelivery = Pick<Delivery, 'message' | 'acknowledge'>;

/** One reply: the type and data of `Reply` in the contracts, and the command that it answers. */
export type BusReply = ContractReply & {
  /**
   * Unique to this reply and unchanged by redelivery: the message id, the type and, for a failure, its time.
   */
  readonly id: string;
  readonly commandId: string;
  readonly correlationId: string;
  /** Position among the replies to one command, from 0. */
  readonly sequence: number;
  readonly isFinal: boolean;
  readonly traceparent?: string;
};

/**
 * Reads a reply, with integers beyond 2^53 as bigint.
 *
 * @throws CallerError `REPLY_UNREADABLE` for any invalid message
 */
export function readReply(message: Delivery['message']): BusReply {
  const reply = replyIn(message);
  if (reply) return reply;
  // The error does not quote the message because it may contain a token.
  throw CallerError.of('REPLY_UNREADABLE', commandIdOf(message));
}

function replyIn({ properties, content }: Delivery['message']): BusReply | undefined {
  const { type, messageId, correlationId } = properties as unknown as Readonly<Record<string, unknown>>;
  const { sequence, final, traceparent } = (properties.headers ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof type !== 'string' || typeof messageId !== 'string' || !isCount(sequence)) return undefined;
  const data = dataOf(content);
  if (!data || !Object.entries(MEMBERS.get(type) ?? {}).every(([name, check]) => check(data[name])))
    return undefined;
  const occurredAt = type === 'command.failed' ? ` ${String(data['occurredAt'])}` : '';
  return {
    id: `${messageId} ${type}${occurredAt}`,
    type,
    data,
    commandId: commandIdOf({ properties }),
    correlationId: typeof correlationId === 'string' ? correlationId : '',
    sequence,
    isFinal: final === true || isFinalReplyType(type),
    ...(typeof traceparent === 'string' && { traceparent }),
  } as unknown as BusReply;
}

/** Returns the id of the command that a message answers; empty if the message contains none. */
export function commandIdOf({ properties }: Pick<Delivery['message'], 'properties'>): string {
  const { correlationId, headers } = properties as {
    readonly correlationId?: unknown;
    readonly headers?: object;
  };
  const ids = [(headers as Readonly<Record<string, unknown>> | undefined)?.['command-id'], correlationId];
  return ids.find((id) => typeof id === 'string') ?? '';
}

function dataOf(content: Buffer): Readonly<Record<string, unknown>> | undefined {
  try {
    const data = parseExactJson(UTF_8.decode(content));
    return isObject(data) && !isDeep(data) ? (data as Readonly<Record<string, unknown>>) : undefined;
  } catch {
    return undefined;
  }
}

/** Returns true if data exceeds `MAX_DEPTH`. Not recursive, because deep data would overflow the stack. */
function isDeep(data: unknown): boolean {
  let level = [data].filter(isContainer);
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth >= MAX_DEPTH) return true;
    level = level.flatMap((each) => Object.values(each).filter(isContainer));
  }
  return false;
}
