import { hash } from 'node:crypto';

/**
 * JSON with the members of every object in order of their names, so that two writings of the same data are equal.
 *
 * @param value parsed JSON
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`);
  return `{${members.join(',')}}`;
}

/** The SHA-256 of a command's data as canonical JSON, lowercase hex. */
export function dataDigest(data: unknown): string {
  return hash('sha256', canonicalJson(data));
}
