import { hash } from 'node:crypto';

/** What JSON writes as it is: printable ASCII but for the quote and the backslash. */
const PLAIN = /^[ !#-[\]-~]*$/;
const FEW = 12;

/**
 * JSON with the members of every object in order of their names, so that two writings of the same data are equal.
 *
 * @param value parsed JSON
 */
export function canonicalJson(value: unknown): string {
  if (typeof value === 'string') return quoted(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  let text = '';
  if (Array.isArray(value)) {
    for (const item of value) text += `${text && ','}${canonicalJson(item)}`;
    return `[${text}]`;
  }
  const members = value as Readonly<Record<string, unknown>>;
  for (const name of sorted(Object.keys(members))) {
    const member = members[name];
    if (member !== undefined) text += `${text && ','}${quoted(name)}:${canonicalJson(member)}`;
  }
  return `{${text}}`;
}

/** A text as JSON; most are plain. */
function quoted(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : JSON.stringify(text);
}

/** By code unit, in place. A command has few members, mostly; for those, the sort of an array is too much. */
function sorted(names: string[]): string[] {
  if (names.length > FEW) return names.sort();
  for (let end = 1; end < names.length; end += 1) {
    const name = names[end] as string;
    let index = end;
    for (; index > 0 && (names[index - 1] as string) > name; index -= 1)
      names[index] = names[index - 1] as string;
    names[index] = name;
  }
  return names;
}

/** The SHA-256 of a command's data as canonical JSON, lowercase hex. */
export function dataDigest(data: unknown): string {
  return hash('sha256', canonicalJson(data));
}

/** Tells a command from another one under the same identity: by its type and its data. */
export function fingerprintOf(type: string, data: unknown): string {
  return hash('sha256', `${type} ${canonicalJson(data)}`, 'base64');
}
