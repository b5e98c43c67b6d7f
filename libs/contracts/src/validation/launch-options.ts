import { isObject, isPrintable, NO_CONTROL_CHARACTERS, rule } from './member-rules.ts';

/** Custom options embedded in the URL of a game: any JSON object whose signature is defined. */
export type LaunchOptions = Readonly<Record<string, unknown>>;

const MAX_BYTES = 8 * 1024;
/** PHP's own default for nested JSON; a signature over anything deeper is not defined. */
const MAX_DEPTH = 512;
const WHOLE_NUMBER = /^-?\d+$/;
const TOO_LARGE = 'must be at most 8 KiB of JSON';
const UNSAFE_NUMBER = 'must hold no numbers but integers from -9007199254740991 to 9007199254740991';
const NUMBER_AS_NAME = 'must hold no member whose name is a whole number';
const NOT_PRINTABLE = 'must hold no control characters and no lone surrogates';

/**
 * Launch options as the object that is sent: the object itself, or the one in a string of JSON.
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

const VALUE = { $ref: '#/$defs/LaunchValue' };
const OBJECT = { $ref: '#/$defs/LaunchObject' };
const PRINTABLE = { type: 'string', pattern: NO_CONTROL_CHARACTERS };
const SCHEMAS = {
  LaunchOptions: {
    description:
      'Custom options embedded in the URL of the game: an object, or a string that holds one as JSON. At most 8 KiB.',
    oneOf: [
      OBJECT,
      {
        type: 'string',
        maxLength: MAX_BYTES,
        pattern: NO_CONTROL_CHARACTERS,
        contentMediaType: 'application/json',
      },
    ],
  },
  LaunchObject: {
    type: 'object',
    propertyNames: { pattern: NO_CONTROL_CHARACTERS, not: { pattern: WHOLE_NUMBER.source } },
    additionalProperties: VALUE,
  },
  LaunchValue: {
    oneOf: [
      PRINTABLE,
      { type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
      { type: 'boolean' },
      { type: 'null' },
      { type: 'array', items: VALUE },
      OBJECT,
    ],
  },
};

/** A JSON object, or a string that holds one, of at most 8 KiB. Source: bus contract, section 2. */
export const IsLaunchOptions = rule<LaunchOptions | string>(
  'isLaunchOptions',
  { $ref: '#/$defs/LaunchOptions', $defs: SCHEMAS },
  (value) => faultOf(value) === undefined,
  (value) => faultOf(value) ?? '',
);

function faultOf(value: unknown): string | undefined {
  if (typeof value === 'string') {
    if (Buffer.byteLength(value) > MAX_BYTES) return TOO_LARGE;
    if (!isPrintable(value)) return NOT_PRINTABLE;
  }
  const options = readLaunchOptions(value);
  if (options === undefined) return 'must be an object, or a string that holds a JSON object';
  // Depth first: the size is taken by a recursive stringify, which a deep value would break.
  const fault = faultWithin(options);
  if (fault !== undefined) return fault;
  return Buffer.byteLength(JSON.stringify(options)) > MAX_BYTES ? TOO_LARGE : undefined;
}

function faultWithin(root: LaunchOptions): string | undefined {
  const open: { value: unknown; depth: number }[] = [{ value: root, depth: 1 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, depth } = next;
    if (typeof value === 'number' && !Number.isSafeInteger(value)) return UNSAFE_NUMBER;
    if (typeof value === 'string' && !isPrintable(value)) return NOT_PRINTABLE;
    if (typeof value !== 'object' || value === null) continue;
    if (depth > MAX_DEPTH) return `must not be nested deeper than ${MAX_DEPTH} levels`;
    for (const [name, member] of Object.entries(value)) {
      if (!Array.isArray(value) && WHOLE_NUMBER.test(name)) return NUMBER_AS_NAME;
      if (!isPrintable(name)) return NOT_PRINTABLE;
      open.push({ value: member, depth: depth + 1 });
    }
  }
  return undefined;
}
