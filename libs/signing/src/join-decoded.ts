import { decodeJsonString } from './php-number.ts';
import type { SignatureSettings, SignedParameters } from './signature-settings.ts';

/** List items are collected under the first position, so that they are signed in list order. */
const ITEMS = '0';
/** A key that PHP arrays store as an integer. */
const POSITION = /^(?:0|-?[1-9]\d*)$/;

/**
 * Returns the top level of a request with the members of all JSON strings, at any depth, merged into it as
 * PHP's `array_merge` does. The strings themselves are removed.
 *
 * A member replaces the parameter with the same name, and a later member replaces an earlier one. List items,
 * and members whose name is an integer, replace nothing: they are appended.
 *
 * @returns `joined`: the names of values that come from a JSON string, and are therefore not decoded again
 */
export function joinDecoded(parameters: SignedParameters, { jsonStrings }: SignatureSettings) {
  const containers: object[] = [];
  const withoutContainers = (value: unknown): unknown => {
    const read = typeof value === 'string' ? decodeJsonString(value, jsonStrings) : value;
    if (typeof read !== 'object' || read === null) return value;
    if (typeof value === 'string') return void containers.push(read);
    if (Array.isArray(read)) return read.map(withoutContainers);
    return Object.fromEntries(Object.entries(read).map(([name, each]) => [name, withoutContainers(each)]));
  };
  const members = new Map(Object.entries(withoutContainers(parameters) as object));
  const items: unknown[] = members.has(ITEMS) ? [members.get(ITEMS)] : [];
  const joined = new Set<string>();
  for (const [name, value] of containers.flatMap((container) => Object.entries<unknown>({ ...container }))) {
    if (POSITION.test(name)) items.push(value);
    else members.set(name, value);
    joined.add(POSITION.test(name) ? ITEMS : name);
  }
  if (items.length > 0) members.set(ITEMS, items);
  return { members: Object.fromEntries(members) as SignedParameters, joined };
}
