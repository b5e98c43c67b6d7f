import type { ConsumeMessage } from 'amqplib';

/** One reply as it came. */
export interface BusReply {
  readonly type: string;
  readonly messageId: string;
  readonly correlationId: string;
  readonly headers: Readonly<Record<string, unknown>>;
  /** The body to the letter: amounts may hold more digits than a number does. */
  readonly text: string;
  /** From 0, within the replies to one command. */
  readonly sequence: number;
  readonly isFinal: boolean;
}

/** Source: bus contract, section 3. */
export function readReply({ properties, content }: ConsumeMessage): BusReply {
  const headers = (properties.headers ?? {}) as Record<string, unknown>;
  return {
    type: String(properties.type),
    messageId: String(properties.messageId),
    correlationId: String(properties.correlationId),
    headers,
    text: content.toString(),
    sequence: Number(headers['sequence']),
    isFinal: headers['final'] === true,
  };
}
