import { decodeJsonString } from './php-number.ts';
import type { SignatureSettings, SignedParameters } from './signature-settings.ts';

/** The top level of a request after decoding. */
export interface TopLevel {
  readonly members: SignedParameters;
  /** Names of members that come from a decoded string, and are not decoded again. */
  readonly joined: ReadonlySet<string>;
}

/** Items of lists are kept under the first position, so that they are signed in their order. */
const ITEMS = '0';
/** A key that PHP's arrays have as an integer. */
const POSITION = /^(?:0|-?[1-9]\d*)$/;

/**
 * The top level of a request: its parameters, and if the settings say so, the members of every object and list that was
 * found in a string of JSON, at whatever depth, as PHP's `array_merge` joins them. The string itself is gone.
 *
 * A member replaces a parameter of its name, and of two members the later one of the request counts. Items of lists, and
 * members whose name is a whole number, replace nothing: they are appended.
 */
export function joinDecoded(parameters: SignedParameters, settings: SignatureSettings): TopLevel {
  const joined = new Set<string>();
  if (settings.jsonPlacement === 'in-place') return { members: parameters, joined };
  const containers: object[] = [];
  const members = new Map(Object.entries(withoutContainers(parameters, settings, containers) as object));
  const items: unknown[] = members.has(ITEMS) ? [members.get(ITEMS)] : [];
  for (const [name, value] of containers.flatMap((container) => Object.entries<unknown>({ ...container }))) {
    if (POSITION.test(name)) items.push(value);
    else members.set(name, value);
    joined.add(POSITION.test(name) ? ITEMS : name);
  }
  if (items.length > 0) members.set(ITEMS, items);
  return { members: Object.fromEntries(members), joined };
}

/** A value without the strings that hold an object or a list, which are decoded into `containers`. */
function withoutContainers(value: unknown, settings: SignatureSettings, containers: object[]): unknown {
  if (typeof value === 'string') {
    const decoded = decodeJsonString(value, settings.jsonStrings);
    if (typeof decoded !== 'object' || decoded === null) return value;
    containers.push(decoded);
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return value;
  const inner = (member: unknown): unknown => withoutContainers(member, settings, containers);
  if (Array.isArray(value)) return value.map(inner);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, inner(member)]));
}
