import { ValidateBy } from 'class-validator';

import { isText, MAX_CHARACTERS } from './text.ts';

/** ISO 639-1. */
const TWO_LETTERS = /^[A-Za-z]{2}$/;

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

/** A language as two letters. */
export const IsLanguage = (): PropertyDecorator =>
  ValidateBy({
    name: 'isLanguage',
    constraints: [TWO_LETTERS.source],
    validator: {
      validate: (value) => typeof value === 'string' && TWO_LETTERS.test(value),
      defaultMessage: () => 'must be an ISO 639-1 code of two letters',
    },
  });

/** A language as a tag, at most 255 characters: `de`, `pt-BR`, `zh-Hant-TW`. Source: bus contract, section 2. */
export const IsLanguageTag = (): PropertyDecorator =>
  ValidateBy({
    name: 'isLanguageTag',
    constraints: [MAX_CHARACTERS, TAG.source],
    validator: {
      validate: (value) => isText(value) && TAG.test(value),
      defaultMessage: () => 'must be a language tag of BCP 47, such as de or pt-BR',
    },
  });
