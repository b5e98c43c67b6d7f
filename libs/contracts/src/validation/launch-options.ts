import { ValidateBy } from 'class-validator';

import { isPrintable } from './text.ts';

/** Custom options embedded in the URL of a game: any JSON object whose signature is defined. */
export type LaunchOptions = Readonly<Record<string, unknown>>;

const MAX_BYTES = 8 * 1024;
/** PHP's own default for nested JSON; a signature over anything deeper is not defined. */
const MAX_DEPTH = 512;
const WHOLE_NUMBER = /^-?\d+$/;

/**
 * Launch options as the object that is sent: an object itself, or the one that a string of JSON holds.
 *
 * @returns `undefined` where `value` is neither
 */
export function readLaunchOptions(value: unknown): LaunchOptions | undefined {
  let object = value;
  if (typeof value === 'string') {
    try {
      object = JSON.parse(value);
    } catch {
      return undefined;
    }
  }
  return typeof object === 'object' && object !== null && !Array.isArray(object)
    ? (object as LaunchOptions)
    : undefined;
}

/** A JSON object, or a string that holds one, of at most 8 KiB. Source: bus contract, section 2. */
export const IsLaunchOptions = (): PropertyDecorator =>
  ValidateBy({
    name: 'isLaunchOptions',
    validator: {
      validate: (value) => faultOf(value) === undefined,
      defaultMessage: (args) => faultOf(args?.value) ?? '',
    },
  });

function faultOf(value: unknown): string | undefined {
  if (typeof value === 'string' && Buffer.byteLength(value) > MAX_BYTES) return 'must be at most 8 KiB';
  const options = readLaunchOptions(value);
  if (options === undefined) return 'must be an object, or a string that holds a JSON object';
  // Depth first: the size is taken by a recursive stringify, which a deep value would break.
  return (
    faultWithin(options) ??
    (Buffer.byteLength(JSON.stringify(options)) > MAX_BYTES ? 'must be at most 8 KiB' : undefined)
  );
}

function faultWithin(root: LaunchOptions): string | undefined {
  const open: { value: unknown; depth: number }[] = [{ value: root, depth: 1 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, depth } = next;
    if (typeof value === 'number' && !Number.isSafeInteger(value))
      return 'must hold no number but safe integers';
    if (typeof value === 'string' && !isPrintable(value)) return 'must hold no control characters';
    if (typeof value !== 'object' || value === null) continue;
    if (depth > MAX_DEPTH) return `must not be nested deeper than ${MAX_DEPTH} levels`;
    for (const [name, member] of Object.entries(value)) {
      if (!Array.isArray(value) && WHOLE_NUMBER.test(name)) return 'must hold no name that is a whole number';
      if (!isPrintable(name)) return 'must hold no control characters';
      open.push({ value: member, depth: depth + 1 });
    }
  }
  return undefined;
}
