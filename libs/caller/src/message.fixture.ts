import type { ConsumeMessage } from 'amqplib';

/** A reply as a worker publishes it; text or bytes instead of the data are the body. */
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

/** The body of an error. */
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
