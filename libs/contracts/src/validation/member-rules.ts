import { IsIn, IsObject, ValidateBy, ValidateNested, type ValidationArguments } from 'class-validator';

import { type Rule, ruleOf, type Shape } from './shape.ts';

export interface MemberFault {
  /** The requirement, for example `must be a string`. It does not repeat the value. */
  readonly message: string;
  /** Where in the member the fault is, as the rest of a JSON pointer. Default: the member itself. */
  readonly below?: string;
}

/** Returns the fault of a member, given its value and the members of its object. */
export type FaultOf = (value: unknown, members: Readonly<Record<string, unknown>>) => MemberFault | undefined;

/**
 * A rule of this contract.
 *
 * @param schema the rule as JSON Schema, as far as that can express it
 */
export const ruleOfFaults = <T>(
  name: string,
  schema: Readonly<Record<string, unknown>>,
  faultOf: FaultOf,
): Rule<T> => {
  const faultIn = (args?: ValidationArguments): MemberFault | undefined =>
    faultOf(args?.value, args?.object as Record<string, unknown>);
  return ruleOf(
    ValidateBy({
      name,
      constraints: [schema, faultOf],
      validator: {
        validate: (_value, args) => faultIn(args) === undefined,
        defaultMessage: (args) => faultIn(args)?.message ?? '',
      },
    }),
  );
};

/** A rule that values either follow or not. @param message what the member must be */
export const rule = <T>(
  name: string,
  schema: Readonly<Record<string, unknown>>,
  isValid: (value: unknown, members: Readonly<Record<string, unknown>>) => boolean,
  message: string,
): Rule<T> =>
  ruleOfFaults(name, schema, (value, members) => (isValid(value, members) ? undefined : { message }));

/** An integer within ±(2^53 − 1) and the given bounds, both inclusive. */
export const IsSafeInteger = ({
  min = Number.MIN_SAFE_INTEGER,
  max = Number.MAX_SAFE_INTEGER,
} = {}): Rule<number> =>
  rule(
    'isSafeInteger',
    { type: 'integer', minimum: min, maximum: max },
    (value) => Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max,
    `must be an integer from ${min} to ${max}`,
  );

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const MAX_NAME = 100;

/**
 * Escapes a name as RFC 6901 requires, and truncates it: the sender chose it, and it may be as long as the
 * body.
 */
export function nameInPointer(name: string): string {
  const short = name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}…` : name;
  return short.toWellFormed().replaceAll('~', '~0').replaceAll('/', '~1');
}

/** An object whose members follow the rules of `shape`. */
export const IsObjectOf = <T extends object>(shape: Shape<T>): Rule<T> =>
  ruleOf(IsObject({ message: 'must be an object' }), ValidateNested({ context: shape }));

const MAX_CHARACTERS = 255;
/** No control characters (Unicode's Cc). */
export const NO_CONTROL_CHARACTERS = String.raw`^[^\x00-\x1f\x7f-\x9f]*$`;

export const TEXT = { type: 'string', maxLength: MAX_CHARACTERS, pattern: NO_CONTROL_CHARACTERS };
const TEXT_DEMAND =
  'must be a string of at most 255 characters, without control characters and lone surrogates';
const PRINTABLE = new RegExp(NO_CONTROL_CHARACTERS);
/** A length limit in characters, which are code points. */
const SHORT = new RegExp(`^.{0,${MAX_CHARACTERS}}$`, 'su');
const DOT_SEGMENTS: readonly unknown[] = ['.', '..'];

export function isPrintable(text: string): boolean {
  return PRINTABLE.test(text) && text.isWellFormed();
}

/**
 * A string of at most 255 characters (code points) without control characters and lone surrogates. Source:
 * bus contract, section 2.
 */
export const IsText = rule<string>('isText', TEXT, isText, TEXT_DEMAND);

/** The id of a user or player: text that is not empty and not a dot segment of a path. */
export const IsPlayerId = rule<string>(
  'isPlayerId',
  { ...TEXT, minLength: 1, not: { enum: DOT_SEGMENTS } },
  (value) => isText(value) && value !== '' && !DOT_SEGMENTS.includes(value),
  'must be a string of 1 to 255 characters, without control characters and lone surrogates, and neither "." nor ".."',
);

export function isText(value: unknown): value is string {
  return typeof value === 'string' && SHORT.test(value) && isPrintable(value);
}

const TWO_LETTERS = /^[A-Za-z]{2}$/;
const ISO_639 = 'an ISO 639-1 code of two letters';
/** `langtag` of BCP 47 (RFC 5646, section 2.1), without the tags that were registered before it. */
const TAG = new RegExp(
  [
    String.raw`^([A-Za-z]{2,3}(-[A-Za-z]{3}){0,3}|[A-Za-z]{4,8})`, // language
    String.raw`(-[A-Za-z]{4})?`, // script
    String.raw`(-([A-Za-z]{2}|\d{3}))?`, // region
    String.raw`(-([A-Za-z0-9]{5,8}|\d[A-Za-z0-9]{3}))*`, // variants
    String.raw`(-[0-9A-WY-Za-wy-z](-[A-Za-z0-9]{2,8})+)*`, // extensions
    String.raw`(-[Xx](-[A-Za-z0-9]{1,8})+)?$`, // private use
  ].join(''),
);
const BCP_47 = 'a language tag of BCP 47, such as de or pt-BR';

export const IsLanguage = rule<string>(
  'isLanguage',
  { type: 'string', pattern: TWO_LETTERS.source, title: ISO_639 },
  (value) => typeof value === 'string' && TWO_LETTERS.test(value),
  `must be ${ISO_639}`,
);

/**
 * A language as a tag, at most 255 characters: `de`, `pt-BR`, `zh-Hant-TW`. Source: bus contract, section 2.
 */
export const IsLanguageTag = rule<string>(
  'isLanguageTag',
  { ...TEXT, pattern: TAG.source, title: BCP_47 },
  (value) => isText(value) && TAG.test(value),
  `must be ${BCP_47}`,
);

/**
 * How a player logs in: from a browser, or from the desktop or mobile app. Source: interface document,
 * endpoint 1.
 */
export const AUTH_TYPES = ['external', 'internal'] as const;

export type AuthType = (typeof AUTH_TYPES)[number];

export const IsAuthType = ruleOf<AuthType>(
  IsIn(AUTH_TYPES, { message: `must be one of ${AUTH_TYPES.join(', ')}`, context: { title: 'AuthType' } }),
);
