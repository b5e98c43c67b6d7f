import { ValidateBy } from 'class-validator';

const MAX_CHARACTERS = 255;
const CONTROL_CHARACTER = /\p{Cc}/u;

/** Whether a string can travel: no control characters (Unicode's Cc) and no lone surrogates. */
export function isPrintable(text: string): boolean {
  return text.isWellFormed() && !CONTROL_CHARACTER.test(text);
}

/** A string of at most 255 characters (code points) without control characters and lone surrogates. Source: bus contract, section 2. */
export const IsText = (): PropertyDecorator =>
  ValidateBy({
    name: 'isText',
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
    validator: {
      validate: (value) => isText(value) && value !== '' && value !== '.' && value !== '..',
      defaultMessage: () =>
        'must be a string of 1 to 255 characters, without control characters and lone surrogates, and neither "." nor ".."',
    },
  });

/** A language as two letters. */
export const IsLanguage = (): PropertyDecorator =>
  ValidateBy({
    name: 'isLanguage',
    validator: {
      validate: (value) => typeof value === 'string' && /^[A-Za-z]{2}$/.test(value),
      defaultMessage: () => 'must be an ISO 639-1 code of two letters',
    },
  });

function isText(value: unknown): value is string {
  return typeof value === 'string' && hasLengthOfText(value) && isPrintable(value);
}

function hasLengthOfText(text: string): boolean {
  if (text.length <= MAX_CHARACTERS) return true;
  // A code point is one or two units, so what is longer need not be counted.
  return text.length <= 2 * MAX_CHARACTERS && [...text].length <= MAX_CHARACTERS;
}
