import { hash } from 'node:crypto';

/**
 * Returns JSON with the members of every object in order of their names, so that the same data always gives
 * the same text.
 */
export function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  let text = '';
  if (Array.isArray(value)) {
    for (const item of value) text += `${text && ','}${canonicalJson(item)}`;
    return `[${text}]`;
  }
  const members = value as Readonly<Record<string, unknown>>;
  for (const name of Object.keys(members).sort()) {
    const member = members[name];
    if (member !== undefined) text += `${text && ','}${JSON.stringify(name)}:${canonicalJson(member)}`;
  }
  return `{${text}}`;
}

/** Returns the SHA-256 of a command's data as canonical JSON, in lowercase hex. */
export function dataDigest(data: unknown): string {
  return hash('sha256', canonicalJson(data));
}

/** The content of a command. A later command with the same identity and content is a repeat. */
export interface CommandContent {
  readonly type: string;
  readonly data?: unknown;
}

/** Returns the type and data of a command as text, the same for every order of members. */
export function canonicalContent({ type, data }: CommandContent): string {
  return `${type} ${canonicalJson(data)}`;
}
