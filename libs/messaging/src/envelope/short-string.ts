const MAX_BYTES = 255;
/** Of one character in UTF-8, counted as JavaScript counts them. */
const MOST_BYTES = 3;

/**
 * Whether a text fits into a property of AMQP. What a caller sent fitted once, and no longer does if it was not
 * UTF-8: each byte that is none is read as a character of three.
 */
export function isShortString(value: unknown): value is string {
  return typeof value === 'string' && fits(value, MAX_BYTES);
}

/** Whether a text takes at most so many bytes of UTF-8; a short one is not measured. */
export function fits(text: string, maxBytes: number): boolean {
  return text.length * MOST_BYTES <= maxBytes || Buffer.byteLength(text) <= maxBytes;
}
