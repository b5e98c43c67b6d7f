import { ValidateBy, ValidateIf } from 'class-validator';

const MAX_CHARACTERS = 255;
const CONTROL_CHARACTER = /\p{Cc}/u;

/** Whether a string can travel: no control characters and no lone surrogates. */
export function isPrintable(text: string): boolean {
  return text.isWellFormed() && !CONTROL_CHARACTER.test(text);
}

function isText(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    (value.length <= MAX_CHARACTERS || [...value].length <= MAX_CHARACTERS) &&
    isPrintable(value)
  );
}

/** A string of at most 255 characters without control characters and lone surrogates. Source: bus contract, section 2. */
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
        'must be a string of 1 to 255 characters, without control characters, and neither "." nor ".."',
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

/** The member may be absent; unlike class-validator's `IsOptional`, `null` is refused. */
export const MayBeAbsent = (): PropertyDecorator => ValidateIf((_object, value) => value !== undefined);
