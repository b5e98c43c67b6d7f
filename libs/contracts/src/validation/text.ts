import { ValidateBy } from 'class-validator';

export const MAX_CHARACTERS = 255;
/** No control characters (Unicode's Cc). */
export const NO_CONTROL_CHARACTERS = String.raw`^[^\x00-\x1f\x7f-\x9f]*$`;
const PRINTABLE = new RegExp(NO_CONTROL_CHARACTERS);
const DOT_SEGMENTS: readonly unknown[] = ['.', '..'];

/** Whether a string has no control characters and no lone surrogates. */
export function isPrintable(text: string): boolean {
  return PRINTABLE.test(text) && text.isWellFormed();
}

/** A string of at most 255 characters (code points) without control characters and lone surrogates. Source: bus contract, section 2. */
export const IsText = (): PropertyDecorator =>
  ValidateBy({
    name: 'isText',
    constraints: [MAX_CHARACTERS, NO_CONTROL_CHARACTERS],
    validator: {
      validate: isText,
      defaultMessage: () =>
        'must be a string of at most 255 characters, without control characters and lone surrogates',
    },
  });

/** The id of a user or player: text that is not empty and not a dot segment of a path. */
export const IsPlayerId = (): PropertyDecorator =>
  ValidateBy({
    name: 'isPlayerId',
    constraints: [MAX_CHARACTERS, NO_CONTROL_CHARACTERS, DOT_SEGMENTS],
    validator: {
      validate: (value) => isText(value) && value !== '' && !DOT_SEGMENTS.includes(value),
      defaultMessage: () =>
        'must be a string of 1 to 255 characters, without control characters and lone surrogates, and neither "." nor ".."',
    },
  });

/** Whether a value is a string of at most 255 characters without control characters and lone surrogates. */
export function isText(value: unknown): value is string {
  return typeof value === 'string' && hasLengthOfText(value) && isPrintable(value);
}

function hasLengthOfText(text: string): boolean {
  if (text.length <= MAX_CHARACTERS) return true;
  // A code point is one or two code units, so a longer string need not be counted.
  return text.length <= 2 * MAX_CHARACTERS && [...text].length <= MAX_CHARACTERS;
}
