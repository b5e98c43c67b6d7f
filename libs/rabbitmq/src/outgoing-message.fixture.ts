import type { OutgoingMessage } from './outgoing-message.ts';

/** A mandatory message to a queue, all of them under one id. */
export function messageTo(routingKey: string, rest: Partial<OutgoingMessage> = {}): OutgoingMessage {
  return {
    exchange: '',
    routingKey,
    content: Buffer.from('{}'),
    mandatory: true,
    properties: { messageId: 'one and the same', headers: {} },
    ...rest,
  };
}
