import { hash } from 'node:crypto';

/** What JSON writes as it is: printable ASCII but for the quote and the backslash. */
const PLAIN = /^[ !#-[\]-~]*$/;

/** Parsed JSON with the members of every object in order of their names: two writings of the same data are equal. */
export function canonicalJson(value: unknown): string {
  if (typeof value === 'string') return quoted(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  let text = '';
  if (Array.isArray(value)) {
    for (const item of value) text += `${text && ','}${canonicalJson(item)}`;
    return `[${text}]`;
  }
  const members = value as Readonly<Record<string, unknown>>;
  for (const name of Object.keys(members).sort()) {
    const member = members[name];
    if (member !== undefined) text += `${text && ','}${quoted(name)}:${canonicalJson(member)}`;
  }
  return `{${text}}`;
}

/** A text as JSON; most are plain. */
function quoted(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : JSON.stringify(text);
}

/** The SHA-256 of a command's data as canonical JSON, lowercase hex. */
export function dataDigest(data: unknown): string {
  return hash('sha256', canonicalJson(data));
}

/** What a command asks for: another one under the same identity is a repeat if it asks for the same. */
export interface CommandContent {
  readonly type: string;
  readonly data?: unknown;
}

/** Tells a command from another one under the same identity: by its type and its data. */
export function fingerprintOf({ type, data }: CommandContent): string {
  return hash('sha256', `${type} ${canonicalJson(data)}`, 'base64');
}
