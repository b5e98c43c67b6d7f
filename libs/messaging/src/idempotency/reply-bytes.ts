/** Of a name or a value beside its text. */
const OVERHEAD = 16;

/** Roughly the bytes that a reply holds in memory, at any depth. */
export function replyBytes(value: unknown): number {
  if (typeof value === 'string') return OVERHEAD + 2 * value.length;
  if (typeof value !== 'object' || value === null) return OVERHEAD;
  let bytes = OVERHEAD;
  for (const name in value) bytes += OVERHEAD + replyBytes((value as Record<string, unknown>)[name]);
  return bytes;
}
