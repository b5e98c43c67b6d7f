import {
  isObject,
  isPrintable,
  type MemberFault,
  nameInPointer,
  NO_CONTROL_CHARACTERS,
  ruleOfFaults,
} from './member-rules.ts';

/** Custom options embedded in the URL of a game: any JSON object whose signature is defined. */
export type LaunchOptions = Readonly<Record<string, unknown>>;

const MAX_BYTES = 8 * 1024;
/** PHP's default limit for nested JSON; the signature of deeper values is undefined. */
const MAX_DEPTH = 512;
/** A name that PHP compares as a number, and so does not sort by bytes: `10`, `10.5`, `1e3`, `+10`, ` 10`. */
const NUMERIC_NAME = /^ *[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)? *$/;
/** The maximum length of a pointer to a name; a longer one is replaced by that of the launch options. */
const LONGEST_POINTER = 1_000;
const TOO_LARGE = 'must be at most 8 KiB of JSON';
const UNSAFE_NUMBER = 'must hold no numbers but integers from -9007199254740991 to 9007199254740991';
const NUMBER_AS_NAME = 'must not be a name here: PHP compares it as a number';
const NOT_PRINTABLE = 'must hold no control characters and no lone surrogates';

/**
 * Returns launch options as the object to send: the given object, or the one parsed from a JSON string.
 *
 * @returns `undefined` if `value` is neither
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
  return isObject(object) ? object : undefined;
}

/**
 * The rule as JSON Schema. The rules of nested values would need a recursive schema, which many generators
 * reject.
 */
export const LAUNCH_OPTIONS = {
  type: ['object', 'string'],
  maxLength: MAX_BYTES,
  pattern: NO_CONTROL_CHARACTERS,
  propertyNames: { pattern: NO_CONTROL_CHARACTERS, not: { pattern: NUMERIC_NAME.source } },
  additionalProperties: true,
};
/** A JSON object, or a string that holds one, of at most 8 KiB. Source: bus contract, section 2. */
export const IsLaunchOptions = ruleOfFaults<LaunchOptions | string>(
  'isLaunchOptions',
  LAUNCH_OPTIONS,
  launchOptionsFault,
);

export function launchOptionsFault(value: unknown): MemberFault | undefined {
  if (typeof value === 'string') {
    if (Buffer.byteLength(value) > MAX_BYTES) return { message: TOO_LARGE };
    if (!isPrintable(value)) return { message: NOT_PRINTABLE };
  }
  const options = readLaunchOptions(value);
  if (options === undefined) return { message: 'must be an object, or a string that holds a JSON object' };
  // The depth is checked first, because measuring the size is recursive and would fail for a deep value.
  const fault = faultWithin(options);
  if (fault !== undefined) return fault;
  return Buffer.byteLength(JSON.stringify(options)) > MAX_BYTES ? { message: TOO_LARGE } : undefined;
}

/** @param at the pointer to the value */
function faultWithin(value: unknown, at = '', depth = 1): MemberFault | undefined {
  if (typeof value === 'number' && !Number.isSafeInteger(value)) return { message: UNSAFE_NUMBER };
  if (typeof value === 'string' && !isPrintable(value)) return { message: NOT_PRINTABLE };
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth > MAX_DEPTH) return { message: `must not be nested deeper than ${MAX_DEPTH} levels` };
  for (const [name, member] of Object.entries(value)) {
    if (!isPrintable(name)) return { message: NOT_PRINTABLE };
    const below = `${at}/${nameInPointer(name)}`;
    if (!Array.isArray(value) && NUMERIC_NAME.test(name))
      return { message: NUMBER_AS_NAME, below: below.length > LONGEST_POINTER ? '' : below };
    const fault = faultWithin(member, below, depth + 1);
    if (fault) return fault;
  }
  return undefined;
}
