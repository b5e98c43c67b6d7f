import type { ConsumeMessage } from 'amqplib';

import {
  type BusNames,
  CommandError,
  type CommandType,
  commandTypeOf,
  type Lane,
  LANE_OF_COMMAND,
  MAX_ID_BYTES,
  SCHEMA_VERSION,
  type Violation,
} from '#contracts';
import { COMMANDS, isObject } from '#contracts/validation';
import { DROPPED_HEADERS, ENCODED_BODY, wireBytes } from '#rabbitmq';

import type { MessagingSettings } from '../messaging-settings.ts';
import { ANONYMOUS, type CallerPolicy, isShortString, readReplyAddress } from './reply-address.ts';
import { type InternalKeys, sealedHeadersOf } from './seal.ts';
import { parseObject, readBody } from './read-body.ts';
import { readDeadline } from './read-deadline.ts';

export interface EnvelopeRules {
  readonly names: BusNames;
  readonly internalKeys: InternalKeys;
  readonly callers: CallerPolicy;
  /** Returns the name of a player for log lines; default: no name. */
  readonly subjectOf?: ((operator: string, player: string) => string) | undefined;
  /** The time of day, epoch milliseconds. */
  readonly nowMs: () => number;
  readonly newId: () => string;
  readonly settings: Pick<
    MessagingSettings,
    'MAX_COMMAND_BYTES' | 'INTERACTIVE_DEADLINE_MS' | 'REPORTS_DEADLINE_MS'
  >;
}

/** An ordinary command takes less than a kilobyte. */
export const LARGE_BYTES = 4 * 1024;
const MAX_TYPE_CHARACTERS = 255;
const TRACEPARENT = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;
const NOT_IN_A_DATA_SECTION =
  'The body is an AMQP 1.0 section other than data: send the JSON as bytes, in a data section.';
/** Values of `content_encoding` that mean no compression; some clients put the character set there. */
const PLAIN_ENCODINGS = new Set(['', 'identity', 'utf-8', 'utf8', 'us-ascii', 'binary']);
const ENCODED_CONTENT =
  'The body is not a JSON object in UTF-8. Its content_encoding is not supported: send plain JSON without it.';

const PLAYER_OF: ReadonlyMap<CommandType, readonly string[]> = new Map(
  COMMANDS.map(({ type, player }) => [type, player]),
);

/** A command as read from the wire: everything that can be known of any message, however malformed. */
export type Envelope = Readonly<ReturnType<typeof read>>;

/**
 * Reads everything that the pipeline needs to know of a message before it validates it. Never throws: a
 * message that violates the contract still has an address, an identity and a deadline, with which it is
 * refused.
 *
 * @param bodyBytes length of the body, of which the message may contain only the beginning; default: the
 *   message contains all of it
 * @param nowMs time of its receipt, epoch milliseconds; default: now
 */
export function openEnvelope(
  message: ConsumeMessage,
  rules: EnvelopeRules,
  bodyBytes = message.content.length,
  nowMs = rules.nowMs(),
): Envelope {
  try {
    const envelope = read(message, rules, bodyBytes, nowMs);
    return message.content.length > LARGE_BYTES ? withoutData(envelope, message) : envelope;
  } catch (cause) {
    // A fault in this code. The properties still say where to answer.
    const properties = { ...message.properties, headers: DROPPED_HEADERS };
    const bare = read({ ...message, content: Buffer.alloc(0), properties }, rules, 0, nowMs);
    return { ...bare, fault: new CommandError('INTERNAL_ERROR', { cause }), violations: [] };
  }
}

/**
 * Keeps only the bytes of a large body, because its parsed data would take many times as much memory. The
 * data is kept for this turn of the event loop, in which it is validated. Later, each access parses it again.
 */
function withoutData({ data, ...envelope }: Envelope, { content }: ConsumeMessage): Envelope {
  let parsed = data;
  if (parsed !== undefined) setImmediate(() => (parsed = undefined));
  const parse = (): unknown =>
    envelope.form === 'packet' ? parseObject(content)?.['data'] : parseObject(content);
  const get = (): unknown => (envelope.fault ? undefined : (parsed ?? parse()));
  return Object.defineProperty(envelope as Envelope, 'data', { get, enumerable: true });
}

function read(message: ConsumeMessage, rules: EnvelopeRules, bodyBytes: number, nowMs: number) {
  const { settings, subjectOf } = rules;
  const { content, fields, properties } = message;
  const headers: Record<string, unknown> = properties.headers ?? {};
  const violations: Violation[] = [];
  const violate = (pointer: string, rule: string): void => {
    violations.push({ pointer, message: `must be ${rule}` });
  };

  const sentType: unknown = properties.type;
  const isEncoded = sentType === ENCODED_BODY;
  const hasType = typeof sentType === 'string' && sentType !== '' && !isEncoded;
  const body = readBody(content, bodyBytes, settings.MAX_COMMAND_BYTES, !hasType);
  const isPacket = body.form === 'packet';
  // A packet contains its type; a typed command without the property has it in its routing key.
  const pattern = typeof body.pattern === 'string' ? body.pattern.slice(0, MAX_TYPE_CHARACTERS) : '';
  const typeName = hasType ? sentType : isPacket ? pattern : fields.routingKey;
  const knownType = commandTypeOf(typeName);
  const lane: Lane = knownType ? LANE_OF_COMMAND[knownType] : 'interactive';

  const sentId: unknown = isPacket ? body.id : properties.messageId;
  const isIdGiven = sentId !== undefined && sentId !== null && sentId !== '';
  const isIdUsable =
    isIdGiven && typeof sentId === 'string' && sentId.isWellFormed() && wireBytes(sentId) <= MAX_ID_BYTES;
  if (isIdGiven && !isIdUsable)
    violate(
      isPacket ? '/id' : '/properties/message_id',
      `a string of at most ${MAX_ID_BYTES} bytes of UTF-8`,
    );
  const id = isIdUsable ? sentId : rules.newId();

  const budgetMs = lane === 'reports' ? settings.REPORTS_DEADLINE_MS : settings.INTERACTIVE_DEADLINE_MS;
  const deadline = readDeadline(headers['x-deadline'], properties.timestamp, budgetMs, nowMs);
  if ('rule' in deadline) violate('/headers/x-deadline', deadline.rule);

  const cancels = headers['x-cancel-with-queue'] ?? false;
  if (typeof cancels !== 'boolean') violate('/headers/x-cancel-with-queue', 'a boolean');

  const areDropped = headers === DROPPED_HEADERS;
  if (areDropped) violate('/headers', 'readable, nested at most 32 deep, and take at most 16 KiB');
  // A command with an unknown operator must not run with the credentials of `default`, and nor must its copy.
  const sentOperator = headers['operator'] ?? (areDropped ? '' : 'default');
  const operator = typeof sentOperator === 'string' ? sentOperator : undefined;
  if (operator === undefined) violate('/headers/operator', 'a string');
  const player = knownType && subjectOf && operator !== undefined && playerOf(knownType, body.data);

  const version = headers['schema-version'] ?? SCHEMA_VERSION;
  const isVersion = Number.isInteger(version);
  if (!isVersion) violate('/headers/schema-version', 'an integer');
  let { fault } = body;
  const isMalformed = fault?.code === 'MALFORMED_MESSAGE';
  if (isEncoded && fault?.code !== 'MESSAGE_TOO_LARGE')
    fault = new CommandError('MALFORMED_MESSAGE', { message: NOT_IN_A_DATA_SECTION });
  else if (isMalformed && !PLAIN_ENCODINGS.has(String(properties.contentEncoding ?? '').toLowerCase()))
    fault = new CommandError('MALFORMED_MESSAGE', { message: ENCODED_CONTENT });
  else if (isVersion && version !== SCHEMA_VERSION) fault ??= new CommandError('UNSUPPORTED_VERSION');

  const correlationId: unknown = properties.correlationId;
  const traceparent = headers['traceparent'];
  const own = sealedHeadersOf(message, rules.internalKeys);
  // A copy contains the user of its original. The broker checks only the user that published the copy.
  const origin = own['x-origin-user-id'] ?? (properties.userId as unknown);
  const caller = typeof origin === 'string' && origin !== '' ? origin : ANONYMOUS;
  const replyTo = readReplyAddress(properties.replyTo, rules.names.reserved, rules.callers, caller);
  return {
    form: body.form,
    /** The command's id; generated if the message has no usable one. */
    id,
    /** The type as sent; '' if there is none. */
    type: knownType ?? typeName,
    /** The type; undefined if no such command exists. */
    knownType,
    /** The lane whose policies apply; an unknown type is answered on the interactive one. */
    lane,
    correlationId: isShortString(correlationId) && correlationId !== '' ? correlationId : id,
    replyTo,
    /** The broker user that sent it, as verified by the broker; `anonymous` without one. */
    caller,
    own,
    /** True for a report that its caller cancels by deleting the reply queue. */
    cancelsWithQueue: cancels === true && lane === 'reports' && replyTo.kind === 'queue',
    operator: operator ?? '',
    /**
     * The name of its player in log lines; undefined if players are not logged, or if the command has none.
     */
    subject: typeof player === 'string' ? subjectOf?.(operator ?? '', player) : undefined,
    /** Epoch milliseconds. */
    deadlineAtMs: 'atMs' in deadline ? deadline.atMs : nowMs + budgetMs,
    traceparent: typeof traceparent === 'string' && TRACEPARENT.test(traceparent) ? traceparent : undefined,
    data: body.data,
    /** The reason why the message cannot be a command at all. */
    fault,
    /** Violations in its properties and headers. */
    violations,
  };
}

/**
 * Returns the player that a command is about, even if its data violates other rules; undefined if it names
 * none.
 */
function playerOf(type: CommandType, data: unknown): string | undefined {
  let value = data;
  for (const name of PLAYER_OF.get(type) ?? []) {
    if (!isObject(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return typeof value === 'string' ? value : undefined;
}
