import type { ConsumeMessage } from 'amqplib';

/** A summary of a reply. */
export function factsOf(message: ConsumeMessage | undefined) {
  const { type, headers } = message?.properties ?? {};
  const text = String(message?.content);
  const body = (text.startsWith('{') ? JSON.parse(text) : {}) as { code?: string };
  return {
    type: type as unknown,
    sequence: headers?.['sequence'] as unknown,
    final: headers?.['final'] as unknown,
    ...(body.code !== undefined && { code: body.code }),
  };
}
