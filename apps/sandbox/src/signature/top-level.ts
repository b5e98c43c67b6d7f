import type { Conventions } from '../clients/client.ts';
import { decode } from './decode.ts';
import { PhpFloat } from './php-float.ts';

/** In the place of a string whose content joins the top level. */
const TAKEN = Symbol('taken');

/** A value at the top level of what is signed. */
export interface TopLevelValue {
  readonly value: unknown;
  /** Whether strings in it are decoded; those in a decoded string are not. */
  readonly strings: 'decode' | 'keep';
}

/**
 * What is signed at the top level: the parameters, or, if members of decoded strings join them, what PHP's `array_merge` of
 * both gives. A list has no names: its items follow each other at the place of the first position, `0`.
 */
export function topLevel(
  parameters: Readonly<Record<string, unknown>>,
  conventions: Pick<Conventions, 'jsonStrings' | 'jsonPlacement'>,
): ReadonlyMap<string, TopLevelValue> {
  const level = new Map<string, TopLevelValue>();
  const joining: object[] = [];
  for (const [name, value] of Object.entries(parameters)) {
    const rest = conventions.jsonPlacement === 'merge' ? takeContainers(value) : value;
    if (rest !== TAKEN) level.set(name, { value: rest, strings: 'decode' });
  }
  const positioned: unknown[] = [];
  for (const container of joining)
    for (const [name, value] of Object.entries(container))
      if (/^(0|-?[1-9]\d*)$/.test(name)) positioned.push(value);
      else level.set(name, { value, strings: 'keep' });
  if (positioned.length > 0) {
    const first = level.get('0');
    level.set('0', { value: first ? [first.value, ...positioned] : positioned, strings: 'keep' });
  }
  return level;

  function takeContainers(value: unknown): unknown {
    if (typeof value === 'string') {
      const decoded = decode(value, conventions.jsonStrings)?.value;
      if (!isContainer(decoded)) return value;
      joining.push(decoded);
      return TAKEN;
    }
    if (Array.isArray(value)) return value.map(takeContainers).filter((item) => item !== TAKEN);
    if (!isContainer(value)) return value;
    const members = Object.entries(value).map(([name, member]) => [name, takeContainers(member)] as const);
    return Object.fromEntries(members.filter(([, member]) => member !== TAKEN));
  }
}

/** Whether a value is an object or a list of JSON. */
export function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !(value instanceof PhpFloat);
}
