const MAX_BYTES = 255;

/**
 * Whether a text fits into a property of AMQP. What a caller sent fitted once, and no longer does where it was not
 * UTF-8: each byte that is none is read as a character of three.
 */
export function isShortString(value: unknown): value is string {
  return typeof value === 'string' && Buffer.byteLength(value) <= MAX_BYTES;
}
