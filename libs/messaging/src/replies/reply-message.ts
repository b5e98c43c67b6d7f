import { isFinalReplyType, type Reply, SCHEMA_VERSION } from '#contracts';
import { announcedData } from '#contracts/validation';
import type { OutgoingMessage } from '#rabbitmq';

import type { Envelope } from '../envelope/envelope.ts';
import { dataDigest } from '../envelope/fingerprint.ts';

/** The sender of every message of this service. */
const APP_ID = 'poker-bridge';
const CONFLICT_DIGITS = 16;
/** Nothing else in a page is written so: a quotation mark within a text is escaped, and no other member is a list of it. */
const NO_RECORDS = '"records":[]';

/**
 * A page whose records are in JSON already, with commas and without the brackets of their list, which is empty in `data`.
 * They are taken out when the page is sent.
 */
export type WrittenPage = Extract<Reply, { type: 'report.page' }> & { readonly written: Buffer[] };

/** Which outcomes are announced (setting `EVENTS`). */
export type EventPolicy = 'errors' | 'all' | 'none';

export interface ReplyFacts {
  readonly envelope: Envelope;
  readonly reply: Reply;
  /** From 0, over the replies of one command. */
  readonly sequence: number;
  readonly nowMs: number;
}

/** What an announcement says beside its reply, for those who never saw the command. */
export interface EventFacts extends ReplyFacts {
  /** The worker that answered. */
  readonly worker: string;
  readonly operator: string;
  /** Calls to the platform for this delivery of the command. */
  readonly attempts: number;
}

/** Whether a reply is the last of its command. */
export function isFinal({ type }: Reply): boolean {
  return isFinalReplyType(type);
}

/** Whether a final reply is announced on the events exchange. */
export function isAnnounced(reply: Reply, policy: EventPolicy): boolean {
  return policy === 'all' || (policy === 'errors' && reply.type === 'command.failed');
}

/**
 * A reply as its AMQP message, addressed to a queue. Source: bus contract, section 3.
 *
 * @param content default: the reply, serialized
 */
export function replyMessage(
  facts: ReplyFacts,
  address: { kind: 'queue' | 'direct'; queue: string },
  content: Buffer = Buffer.from(textOf(facts)),
): OutgoingMessage {
  const { envelope, reply, sequence, nowMs } = facts;
  const headers: OutgoingMessage['properties']['headers'] = {
    'command-id': envelope.id,
    'command-type': envelope.type,
    sequence,
    final: isFinal(reply),
    'schema-version': SCHEMA_VERSION,
  };
  if (envelope.traceparent !== undefined) headers['traceparent'] = envelope.traceparent;
  return {
    exchange: '',
    routingKey: address.queue,
    content,
    // RabbitMQ 3 returns even what it delivered to a direct key.
    mandatory: address.kind === 'queue',
    properties: {
      type: reply.type,
      correlationId: envelope.correlationId,
      messageId: messageIdOf(facts),
      contentType: 'application/json',
      timestamp: Math.floor(nowMs / 1000),
      appId: APP_ID,
      headers,
    },
  };
}

/** The announcement of a final reply: its type as routing key, for errors with the code. Source: bus contract, section 5. */
export function eventMessage(exchange: string, facts: EventFacts): OutgoingMessage {
  const { reply, envelope, worker, operator, attempts, nowMs } = facts;
  const event = {
    ...facts,
    reply: { type: reply.type, data: announcedData(reply) } as Reply,
    envelope: { ...envelope, form: 'typed' as const },
  };
  const message = replyMessage(event, { kind: 'queue', queue: '' });
  const answeredAt = new Date(nowMs).toISOString();
  const headers = { caller: envelope.caller, operator, worker, attempts, 'answered-at': answeredAt };
  return {
    ...message,
    exchange,
    routingKey: reply.type === 'command.failed' ? `${reply.type}.${reply.data.code}` : reply.type,
    // An announcement that nobody listens to is no fault.
    mandatory: false,
    properties: {
      ...message.properties,
      messageId: messageIdOf(facts),
      headers: { ...message.properties.headers, ...headers },
    },
  };
}

/** The body of a reply that others follow. */
export function pageContent(envelope: Envelope, reply: Reply | WrittenPage): Buffer {
  const frame = textOf({ envelope, reply });
  if (!('written' in reply)) return Buffer.from(frame);
  const [before = '', after = ''] = frame.split(NO_RECORDS);
  const pieces = reply.written.splice(0);
  return Buffer.concat([Buffer.from(`${before}"records":[`), ...pieces, Buffer.from(`]${after}`)]);
}

/**
 * The id of a reply: the same over redeliveries, so that a caller can drop a repeat. A conflict answers another
 * message than the one that has the id, so its own data tell the two apart. Source: bus contract, section 3.
 */
function messageIdOf({ envelope: { id, data }, reply, sequence }: ReplyFacts): string {
  return reply.type === 'command.failed' && reply.data.code === 'IDEMPOTENCY_CONFLICT'
    ? `${id}:conflict:${dataDigest(data).slice(0, CONFLICT_DIGITS)}`
    : `${id}:${sequence}`;
}

function textOf({ envelope, reply }: Pick<ReplyFacts, 'envelope' | 'reply'>): string {
  const isPacket = envelope.form === 'packet';
  return JSON.stringify(isPacket ? packetOf(reply, envelope.id, isFinal(reply)) : reply.data);
}

/** The packet that Nest's own client understands: an error, or a value that may be the last. */
function packetOf(reply: Reply, id: string, final: boolean): object {
  if (reply.type === 'command.failed') return { err: reply.data, isDisposed: true, id };
  return { response: reply.data, ...(final && { isDisposed: true }), id };
}
