import { expect } from '@jest/globals';

/** The command that a reply answers, and the reply's place among its replies. */
export interface ExpectedReply {
  readonly type: string;
  readonly id: string;
  readonly commandType: string;
  readonly correlationId: string;
  /** Default 0. */
  readonly sequence?: number;
  /** Default true. */
  readonly final?: boolean;
  readonly headers?: Readonly<Record<string, unknown>>;
}

/** Exactly the properties and headers of a reply to a queue. Source: bus contract, section 3. */
export function expectedProperties(reply: ExpectedReply): object {
  const { type, id, commandType, correlationId, sequence = 0, final = true, headers = {} } = reply;
  return {
    type,
    correlationId,
    messageId: `${id}:${sequence}`,
    contentType: 'application/json',
    appId: 'poker-bridge',
    timestamp: expect.any(Number),
    deliveryMode: 2,
    headers: {
      'command-id': id,
      'command-type': commandType,
      sequence,
      final,
      'schema-version': 1,
      // Matches a return to its publish, see docs/decisions/0002.
      'x-publish-id': expect.any(String),
      ...headers,
    },
  };
}
