import type { BusReply } from '#messaging/client';

import { jsonFault } from '../input/exact-json.ts';

/** A reply as one line of JSON, its body digit for digit as it was received. */
export function replyLine({ type, messageId, correlationId, headers, text }: BusReply): string {
  // Between the tokens of JSON a line break is white space; within a string it is always escaped.
  const body = jsonFault(text) === undefined ? text.trim().replace(/[\r\n]+/g, ' ') : JSON.stringify(text);
  const envelope = JSON.stringify({ type, messageId, correlationId, headers });
  return `${envelope.slice(0, -1)},"body":${body}}\n`;
}
