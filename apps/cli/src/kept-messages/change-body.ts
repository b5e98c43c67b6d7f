import { exactJson, parseExactJson } from '#signing';

import { readValue } from '../input/read-source.ts';

/** One change of a body. */
export interface Change {
  /** As it was given, for messages about it. */
  readonly text: string;
  /** The names of a JSON pointer. */
  readonly path: readonly string[];
  /** Absent: the member is removed. */
  readonly value?: unknown;
}

/** A change whose value may be in a file. */
export interface SetOption extends Change {
  /** `@` and its path, or `@-` for standard input. */
  readonly file?: string;
}

type Container = Record<string, unknown>;

/**
 * Reads `/session/lang=de`: a JSON pointer, and a value that is JSON or else a text, or `@` and a file that holds it.
 *
 * @returns undefined if it is neither
 */
export function readSet(text: string): SetOption | undefined {
  const at = text.indexOf('=');
  const path = at < 0 ? undefined : pathOf(text.slice(0, at));
  const value = text.slice(at + 1);
  if (!path || !value.startsWith('@')) return path && { text, path, value: valueOf(value) };
  return { text, path, file: value };
}

/** The change with the value of its file. @throws ExitError if the file cannot be read or is not UTF-8 */
export async function withFile({ text, path, value, file }: SetOption): Promise<Change> {
  return { text, path, value: file === undefined ? value : valueOf(await readValue(file)) };
}

/** Reads the JSON pointer of a member that is to be removed. */
export function readUnset(text: string): Change | undefined {
  const path = pathOf(text);
  return path && { text, path };
}

/**
 * A body with these changes, its other members as they were, digit for digit.
 *
 * @param root the names that lead to the command's data
 * @throws Error with a reason that quotes nothing of the body
 */
export function changedBody(content: Buffer, changes: readonly Change[], root: readonly string[]): Buffer {
  const body = parsed(content);
  for (const { text, path, value } of changes) {
    const names = [...root, ...path];
    const last = names.pop() ?? '';
    const container = containerOf(body, names);
    if (!container) throw new Error(`${text}: there is something else than an object or a list on its way`);
    if (value === undefined) delete container[last];
    else container[last] = value;
  }
  return Buffer.from(exactJson(body));
}

function pathOf(pointer: string): readonly string[] | undefined {
  if (!pointer.startsWith('/') || /~(?![01])/.test(pointer)) return undefined;
  const names = pointer.slice(1).split('/');
  // Assigned, it would not be a member.
  if (names.includes('__proto__')) return undefined;
  return names.map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function valueOf(text: string): unknown {
  try {
    return parseExactJson(text);
  } catch {
    return text;
  }
}

function parsed(content: Buffer): Container {
  try {
    const body = parseExactJson(new TextDecoder('utf-8', { fatal: true }).decode(content));
    if (isContainer(body)) return body;
  } catch {
    // Told below.
  }
  throw new Error('its body is not a JSON object: nothing in it can be changed');
}

/** The object under a path; the missing ones are made. */
function containerOf(body: Container, names: readonly string[]): Container | undefined {
  let container = body;
  for (const name of names) {
    const next = Object.hasOwn(container, name) ? container[name] : (container[name] = {});
    if (!isContainer(next)) return undefined;
    container = next;
  }
  return container;
}

function isContainer(value: unknown): value is Container {
  return typeof value === 'object' && value !== null;
}
