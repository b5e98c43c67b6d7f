import type { ConsumeMessage } from 'amqplib';

import {
  type CommandType,
  commandTypeOf,
  type Lane,
  LANE_OF_COMMAND,
  SCHEMA_VERSION,
  CommandError,
  type Violation,
} from '#contracts';
import { COMMANDS } from '#contracts/validation';
import { DROPPED_HEADERS, ENCODED_BODY } from '#rabbitmq';

import {
  ANONYMOUS,
  type CallerPolicy,
  type Envelope,
  fits,
  isShortString,
  readReplyAddress,
} from './envelope.ts';
import type { HeaderSeal, OwnHeaders } from './own-headers.ts';
import { type Body, readBody } from './read-body.ts';
import { readDeadline } from './read-deadline.ts';

export interface EnvelopeRules {
  readonly maxBytes: number;
  /** Names that start with it are the service's own. */
  readonly reserved: string;
  readonly seal: HeaderSeal;
  readonly callers: CallerPolicy;
  /** How log lines name a player of an operator. Default: not at all. */
  readonly subjectOf?: ((operator: string, player: string) => string) | undefined;
  readonly budgetMs: Readonly<Record<Lane, number>>;
  readonly nowMs: () => number;
  readonly newId: () => string;
}

const MAX_ID_BYTES = 200;
const MAX_TYPE_CHARACTERS = 255;
const UNREADABLE_HEADERS = 'must be readable, nested at most 32 deep, and take at most 16 KiB';
const TRACEPARENT = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

const PLAYER_OF: ReadonlyMap<CommandType, readonly string[]> = new Map(
  COMMANDS.map(({ type, player }) => [type, player]),
);

/**
 * Reads everything that the pipeline needs to know of a message before it judges it. It never throws: a message
 * that breaks the contract still has an address, an identity and a deadline to be refused by.
 *
 * @param bodyBytes the length of its body, of which the message may hold only the beginning; default: it holds all
 */
export function openEnvelope(
  message: ConsumeMessage,
  rules: EnvelopeRules,
  bodyBytes = message.content.length,
): Envelope {
  const { content, fields, properties } = message;
  const headers: Record<string, unknown> = properties.headers ?? {};
  const sentType: unknown = properties.type;
  const isEncoded = sentType === ENCODED_BODY;
  const hasType = typeof sentType === 'string' && sentType !== '' && !isEncoded;
  const body = readBody(content, bodyBytes, rules.maxBytes, !hasType);
  const typeName = hasType ? sentType : typeOf(body, fields.routingKey);
  const known = commandTypeOf(typeName);
  const violations: Violation[] = [];

  const id =
    readId(body.form === 'packet' ? body.id : properties.messageId, body.form, violations) ?? rules.newId();
  const deadline = {
    header: headers['x-deadline'],
    timestamp: properties.timestamp as unknown,
    budgetMs: rules.budgetMs[known ? LANE_OF_COMMAND[known] : 'interactive'],
    nowMs: rules.nowMs(),
  };
  const deadlineAtMs = readDeadline(deadline);
  if (deadlineAtMs === undefined) {
    violations.push({
      pointer: '/headers/x-deadline',
      message: 'must be ISO 8601 with a zone, or epoch milliseconds',
    });
  }
  const areDropped = headers === DROPPED_HEADERS;
  if (areDropped) violations.push({ pointer: '/headers', message: UNREADABLE_HEADERS });
  // A command whose operator is not known must not run with the credentials of `default`, as a copy neither.
  const operator = headers['operator'] ?? (areDropped ? '' : 'default');
  if (typeof operator !== 'string')
    violations.push({ pointer: '/headers/operator', message: 'must be a string' });
  const player = known && rules.subjectOf && playerOf(known, body.data);
  const correlationId: unknown = properties.correlationId;
  const traceparent = headers['traceparent'];
  const own = rules.seal.open(message);
  const caller = callerOf(properties.userId, own);
  return {
    form: body.form,
    id,
    type: known ?? typeName,
    correlationId: isShortString(correlationId) && correlationId !== '' ? correlationId : id,
    replyTo: readReplyAddress(properties.replyTo, rules.reserved, (queue) =>
      rules.callers.mayReplyTo(caller, queue),
    ),
    caller,
    own,
    operator: typeof operator === 'string' ? operator : '',
    subject:
      player !== undefined && typeof operator === 'string' ? rules.subjectOf?.(operator, player) : undefined,
    deadlineAtMs: deadlineAtMs ?? deadline.nowMs + deadline.budgetMs,
    traceparent: typeof traceparent === 'string' && TRACEPARENT.test(traceparent) ? traceparent : undefined,
    data: body.data,
    fault:
      (isEncoded ? encodedFault(body) : body.fault) ?? versionFault(headers['schema-version'], violations),
    violations,
  };
}

/** What the properties say of a message that could not be opened, for a reason of ours: where to answer. */
export function brokenEnvelope(message: ConsumeMessage, rules: EnvelopeRules, cause: unknown): Envelope {
  const properties = { ...message.properties, headers: DROPPED_HEADERS };
  const bare = openEnvelope({ ...message, content: Buffer.alloc(0), properties }, rules);
  return { ...bare, fault: new CommandError('INTERNAL_ERROR', { cause }), violations: [] };
}

/** A copy names the user of its original; the broker checks only who published the copy. */
function callerOf(userId: unknown, own: OwnHeaders): string {
  const origin = own['x-origin-user-id'] ?? userId;
  return typeof origin === 'string' && origin !== '' ? origin : ANONYMOUS;
}

/** A packet names its type in its body; a typed command without the property, in its routing key. */
function typeOf({ form, pattern }: Body, routingKey: string): string {
  if (form === 'typed') return routingKey;
  return typeof pattern === 'string' ? pattern.slice(0, MAX_TYPE_CHARACTERS) : '';
}

function readId(id: unknown, form: Envelope['form'], violations: Violation[]): string | undefined {
  if (id === undefined || id === null || id === '') return undefined;
  if (typeof id === 'string' && fits(id, MAX_ID_BYTES)) return id;
  const pointer = form === 'packet' ? '/id' : '/properties/message_id';
  violations.push({ pointer, message: `must be a string of at most ${MAX_ID_BYTES} bytes` });
  return undefined;
}

function encodedFault({ fault }: Body): CommandError {
  if (fault?.code === 'MESSAGE_TOO_LARGE') return fault;
  const message =
    'The body is an AMQP 1.0 section other than data: send the JSON as bytes, in a data section.';
  return new CommandError('MALFORMED_MESSAGE', { message });
}

function versionFault(version: unknown, violations: Violation[]): CommandError | undefined {
  if (version === undefined || version === null || version === SCHEMA_VERSION) return undefined;
  if (Number.isInteger(version)) return new CommandError('UNSUPPORTED_VERSION');
  violations.push({ pointer: '/headers/schema-version', message: 'must be an integer' });
  return undefined;
}

/** The player that a command is about, also if its data breaks other rules; undefined if it names none. */
function playerOf(type: CommandType, data: unknown): string | undefined {
  let value = data;
  for (const name of PLAYER_OF.get(type) ?? []) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return typeof value === 'string' ? value : undefined;
}
