import { hostname } from 'node:os';

import { isFinalReplyType, type Reply, SCHEMA_VERSION } from '#contracts';
import { announcedData } from '#contracts/validation';
import type { OutgoingMessage } from '#rabbitmq';

import type { Command } from '../command/command.ts';
import { factsOf } from '../command/command-facts.ts';
import type { Envelope } from '../envelope/open-envelope.ts';
import { dataDigest } from '../envelope/fingerprint.ts';
import type { MessagingSettings } from '../messaging-settings.ts';

const APP_ID = 'poker-bridge';
/** Identifies this worker in announcements, by the same host and process as its log lines. */
const WORKER = `${hostname()}:${process.pid}`;
const CONFLICT_DIGITS = 16;
/**
 * No other part of a page is written like this: a quotation mark within a text is escaped, and no other
 * member is a list of this name.
 */
const NO_RECORDS = '"records":[]';

/**
 * A page whose records are already JSON, with commas but without the brackets of their list, which is empty
 * in `data`. Sending the page removes them.
 */
export type WrittenPage = Extract<Reply, { type: 'report.page' }> & { readonly written: Buffer[] };

/**
 * True if the policy requires an announcement of the reply.
 *
 * @param policy the setting `EVENTS`
 */
export function isAnnounced(reply: Reply, policy: MessagingSettings['EVENTS']): boolean {
  return policy === 'all' || (policy === 'errors' && reply.type === 'command.failed');
}

/**
 * Returns the AMQP message of a reply. Source: bus contract, section 3.
 *
 * @param queue the reply queue, or a direct reply-to key
 * @param content default: the serialized reply
 */
export function replyMessage(
  { envelope, replies, nowMs }: Command,
  reply: Reply,
  queue: string,
  content = contentOf(envelope, reply),
): OutgoingMessage {
  const { sequence } = replies;
  const headers: OutgoingMessage['properties']['headers'] = {
    'command-id': envelope.id,
    'command-type': envelope.type,
    sequence,
    final: isFinalReplyType(reply.type),
    'schema-version': SCHEMA_VERSION,
  };
  if (envelope.traceparent !== undefined) headers['traceparent'] = envelope.traceparent;
  return {
    exchange: '',
    routingKey: queue,
    content,
    mandatory: true,
    properties: {
      type: reply.type,
      correlationId: envelope.correlationId,
      messageId: messageIdOf(envelope, reply, sequence),
      contentType: 'application/json',
      timestamp: Math.floor(nowMs() / 1000),
      appId: APP_ID,
      headers,
    },
  };
}

/**
 * Returns the announcement of a final reply. The routing key is its type, for errors with the code. Source:
 * bus contract, section 5.
 */
export function eventMessage(command: Command, reply: Reply, exchange: string): OutgoingMessage {
  const { envelope, nowMs } = command;
  // The listeners did not receive the command, so only some members are announced.
  const data = Buffer.from(JSON.stringify(announcedData(reply)));
  const message = replyMessage(command, reply, '', data);
  const { operator, attempts } = factsOf(command);
  const answeredAt = new Date(nowMs()).toISOString();
  const headers = { caller: envelope.caller, operator, worker: WORKER, attempts, 'answered-at': answeredAt };
  return {
    ...message,
    exchange,
    routingKey: reply.type === 'command.failed' ? `${reply.type}.${reply.data.code}` : reply.type,
    // An announcement without listeners is not an error.
    mandatory: false,
    properties: { ...message.properties, headers: { ...message.properties.headers, ...headers } },
  };
}

export function contentOf(envelope: Envelope, reply: Reply | WrittenPage): Buffer {
  const isPacket = envelope.form === 'packet';
  const text = JSON.stringify(isPacket ? packetOf(reply, envelope.id) : reply.data);
  if (!('written' in reply)) return Buffer.from(text);
  const [before = '', after = ''] = text.split(NO_RECORDS);
  const pieces = reply.written.splice(0);
  return Buffer.concat([Buffer.from(`${before}"records":[`), ...pieces, Buffer.from(`]${after}`)]);
}

/**
 * Returns the id of a reply. It is the same over redeliveries, so that a caller can drop repeats. A conflict
 * answers another message than the one that has the id, so its own data distinguish the two. Source: bus
 * contract, section 3.
 */
function messageIdOf({ id, data }: Envelope, reply: Reply, sequence: number): string {
  return reply.type === 'command.failed' && reply.data.code === 'IDEMPOTENCY_CONFLICT'
    ? `${id}:conflict:${dataDigest(data).slice(0, CONFLICT_DIGITS)}`
    : `${id}:${sequence}`;
}

/** Returns the packet that Nest's own client understands: an error, or a value that may be the last one. */
function packetOf(reply: Reply, id: string): object {
  if (reply.type === 'command.failed') return { err: reply.data, isDisposed: true, id };
  return { response: reply.data, ...(isFinalReplyType(reply.type) && { isDisposed: true }), id };
}
