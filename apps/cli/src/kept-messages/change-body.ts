import { InvalidArgumentError } from 'commander';

import { exactJson } from '#signing';

import { jsonOr, utf8Of } from '../input.ts';

export interface Change {
  /** As it was given, for messages about it. */
  readonly text: string;
  /** The names of a JSON pointer. */
  readonly path: readonly string[];
  /** JSON or else a text, or `@` and a file that holds it; absent: the member is removed. */
  readonly value?: string;
}

type Container = Record<string, unknown>;

/** Reads `/session/lang=de`: a JSON pointer, and a value. @throws InvalidArgumentError if it is neither */
export function readSet(text: string): Change {
  const [pointer = ''] = text.split('=', 1);
  const path = pathOf(pointer);
  if (path && pointer.length < text.length) return { text, path, value: text.slice(pointer.length + 1) };
  throw new InvalidArgumentError('It must be a JSON pointer, = and a value, such as /session/lang=de.');
}

export function readUnset(text: string): Change {
  const path = pathOf(text);
  if (path) return { text, path };
  throw new InvalidArgumentError('It must be a JSON pointer, such as /session/lang.');
}

/**
 * A body with these changes, its other members as they were, digit for digit.
 *
 * @param isPacket whether the command's data is a member of the body
 * @throws Error with a reason that quotes nothing of the body
 */
export function changedBody(content: Buffer, changes: readonly Change[], isPacket: boolean): Buffer {
  const body = jsonOr(undefined, utf8Of(content) ?? '');
  if (!isContainer(body)) throw new Error('its body is not a JSON object: nothing in it can be changed');
  for (const { text, path, value } of changes) {
    const names = [...(isPacket ? ['data'] : []), ...path];
    const last = names.pop() ?? '';
    const container = containerOf(body, names);
    if (!container) throw new Error(`${text}: it leads through something other than an object or a list`);
    if (value === undefined) delete container[last];
    else container[last] = jsonOr(value, value);
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
