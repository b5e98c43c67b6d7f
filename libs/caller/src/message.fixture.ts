import type { ConsumeMessage } from 'amqplib';

/** Returns a reply as a worker publishes it. If `data` is a string or a buffer, it is the raw body. */
export function message(
  type: string,
  data: object | string | Buffer,
  { commandId = 'c-1', sequence = 0, final = type !== 'report.page' } = {},
): ConsumeMessage {
  return {
    content: Buffer.isBuffer(data)
      ? data
      : Buffer.from(typeof data === 'string' ? data : JSON.stringify(data)),
    fields: {},
    properties: {
      type,
      messageId: `${commandId}:${sequence}`,
      correlationId: 'correlation',
      headers: { 'command-id': commandId, sequence, final },
    },
  } as unknown as ConsumeMessage;
}

/** Returns the body of an error reply. */
export function failure(code: string, occurredAt = '2026-01-31T12:00:00.000Z', commandId = 'c-1') {
  return {
    code,
    category: 'unavailable',
    retryable: true,
    message: 'A sentence.',
    attempts: 1,
    command: { id: commandId, type: 'session.create' },
    occurredAt,
  };
}
