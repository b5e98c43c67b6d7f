import type { Reply } from '#contracts';

import type { Envelope } from '../envelope/envelope.ts';
import { dataDigest } from '../envelope/fingerprint.ts';

const CONFLICT_DIGITS = 16;

/**
 * The id of a reply: the same over redeliveries, so that a caller can drop a repeat. A conflict answers another
 * message than the one that has the id, so its own data tell the two apart. Source: bus contract, section 3.
 */
export function messageIdOf({ id, data }: Envelope, reply: Reply, sequence: number): string {
  return reply.type === 'command.failed' && reply.data.code === 'IDEMPOTENCY_CONFLICT'
    ? `${id}:conflict:${dataDigest(data).slice(0, CONFLICT_DIGITS)}`
    : `${id}:${sequence}`;
}
