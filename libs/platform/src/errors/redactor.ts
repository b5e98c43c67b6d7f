import type { PlatformErrorEntry } from '#contracts';
import { COMMANDS, GamePlayer, GameSession, readLaunchOptions } from '#contracts/validation';

import { plainName } from './read-errors.ts';

const REDACTED = '***';
/** Matches any signature, including one that the platform reports as expected. */
const SIGNATURE = /[0-9a-f]{64}/giu;
/**
 * Limits that no legitimate command exceeds. If a command exceeds one, no text of the answer is passed on.
 */
const MAX_VALUES = 100;
const MAX_VALUE = 512;
/**
 * A shorter value is redacted only as a whole word, so that an id of `7` does not redact a part of every
 * year.
 */
const SHORT = 3;
const LETTER_OR_DIGIT = String.raw`[\p{L}\p{N}]`;
const MAX_TEXT = 4096;
const MAX_CHARACTERS = 300;
/** How often a value may have been escaped; an honest platform and its proxies do so once or twice. */
const MAX_LAYERS = 8;
/**
 * Limit on comparisons for all texts of an answer: code units of a text's layers times those of the values.
 * Further texts are omitted.
 */
const BUDGET = 20_000_000;
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
/** Escape notations of URLs, HTML, JSON and JSON pointers, with their decoders. A pass takes linear time. */
const NOTATIONS: readonly (readonly [RegExp, (notation: string, part: string) => string])[] = [
  [/(?:%[0-9a-f]{2})+/gi, (bytes) => Buffer.from(bytes.replaceAll('%', ''), 'hex').toString()],
  [/&#(\d{1,12}|x[0-9a-f]{1,12});/gi, (notation, code) => characterOf(code.replace(/^x/i, '0x')) ?? notation],
  [/&(amp|lt|gt|quot|apos);/gi, (notation, name) => ENTITIES[name.toLowerCase()] ?? notation],
  // One expression for both, because the letter after an escaped backslash is not part of a notation.
  [/\\(?:u([0-9a-f]{4})|[^\p{L}\p{N}])/giu, (notation, hex) => characterOf(`0x${hex}`) ?? notation.slice(1)],
  [/~([01])/g, (_, digit) => (digit === '0' ? '~' : '/')],
];
const LAST_CODE_POINT = 0x10_ff_ff;
/** Names of request and document members, which are not secret. */
const NAMES: ReadonlySet<string> = new Set(
  [...COMMANDS.map(({ data }) => data), GamePlayer, GameSession]
    .flatMap(({ members }): readonly string[] => members)
    .concat('data', 'attributes', 'type', 'meta')
    .map(plainName),
);

/**
 * Returns the errors of an answer after redaction.
 *
 * @param secrets values, at any depth, that no text may contain
 */
export function redactedErrors(
  errors: readonly PlatformErrorEntry[],
  secrets: readonly unknown[],
): readonly PlatformErrorEntry[] {
  if (errors.length === 0) return [];
  const redactor = new Redactor(secrets);
  return errors.map(({ title, detail, pointer, ...entry }) => ({
    ...entry,
    title: title && redactor.redact(title),
    detail: detail && redactor.redact(detail),
    pointer: pointer && redactor.redactPointer(pointer),
  }));
}

/**
 * Redacts texts of the platform: secrets and the values of a command become `***`, and long texts are
 * truncated. A text that contains a value in the notation of a URL, JSON or HTML is replaced by `***`. The
 * time is bounded for any input.
 */
export class Redactor {
  /** Matches positions where a value begins. */
  readonly #values: RegExp;
  /** Remaining code units of layers that may be compared with all values. */
  #budget: number;

  /** @param secrets values at any depth; strings and numbers count */
  constructor(secrets: unknown) {
    const values = new Set(valuesOf(secrets));
    const areUsual = values.size <= MAX_VALUES && [...values].every(({ length }) => length <= MAX_VALUE);
    const writings = areUsual ? [...values].flatMap(writingsOf) : [];
    this.#values = patternOf(writings);
    const units = writings.reduce((sum, { length }) => sum + length, 1);
    this.#budget = areUsual ? BUDGET / units : -1;
  }

  redact(text: string): string {
    // Redact before truncating, so that no part of a value remains at the end.
    const redacted = this.#withoutValues(text.slice(0, MAX_TEXT));
    if (redacted === undefined || (text.length > MAX_TEXT && redacted.length <= MAX_CHARACTERS))
      return REDACTED;
    return redacted.slice(0, MAX_CHARACTERS).replace(/[\ud800-\udbff]$/, '');
  }

  /**
   * Redacts a pointer with slashes or dots. If it contains a value, only names of the interface document
   * remain.
   */
  redactPointer(pointer: string): string {
    if (this.redact(pointer) === pointer) return pointer;
    const parts = pointer.slice(0, MAX_CHARACTERS).split(/([/.])/);
    return parts
      .map((part) => (/^[/.]?$/.test(part) || NAMES.has(plainName(part)) ? part : REDACTED))
      .join('');
  }

  /** @returns undefined if the text contains a value in another notation, or would take too long */
  #withoutValues(text: string): string | undefined {
    if (!this.#spend(text)) return undefined;
    const redacted = without(text, [...asInForm(text).matchAll(this.#values), ...text.matchAll(SIGNATURE)]);
    let layer = redacted;
    for (let layers = 1; layers <= MAX_LAYERS; layers += 1) {
      const decoded = decode(layer);
      if (decoded === layer) return redacted;
      if (!this.#spend(decoded) || asInForm(decoded).search(this.#values) !== -1) return undefined;
      layer = decoded;
    }
    return undefined;
  }

  #spend({ length }: string): boolean {
    this.#budget -= length;
    return this.#budget >= 0;
  }
}

/** Returns the longest value at each position of a text, ignoring case, including overlapping values. */
function patternOf(values: readonly string[]): RegExp {
  const alternatives = values
    .toSorted((one, other) => other.length - one.length)
    .map((value) => {
      const literal = RegExp.escape(asInForm(value));
      return value.length < SHORT ? `(?<!${LETTER_OR_DIGIT})${literal}(?!${LETTER_OR_DIGIT})` : literal;
    });
  return new RegExp(alternatives.length > 0 ? `(?=(${alternatives.join('|')}))` : '(?!)', 'giu');
}

/** Decodes a plus as a space, as in a form. */
function asInForm(text: string): string {
  return text.replaceAll('+', ' ');
}

/**
 * Returns a value unchanged, and with everything decoded that looks like an escape notation. The upper-case
 * and lower-case forms are included, because some letters become several, which a comparison letter by letter
 * does not detect.
 */
function writingsOf(value: string): string[] {
  const cases = [value, value.toUpperCase(), value.toLowerCase()];
  const decoded = cases.map((text) => Array.from({ length: MAX_LAYERS }).reduce<string>(decode, text));
  return [...new Set([...cases, ...decoded])];
}

/** Decodes one layer of each notation. */
function decode(text: string): string {
  return NOTATIONS.reduce((rest, [pattern, meaningOf]) => rest.replace(pattern, meaningOf), text);
}

function characterOf(code: string): string | undefined {
  return Number(code) <= LAST_CODE_POINT ? String.fromCodePoint(Number(code)) : undefined;
}

/** Replaces matches in a text by `***`; overlapping matches are replaced as one. */
function without(text: string, matches: readonly RegExpExecArray[]): string {
  let redacted = '';
  let at = 0;
  const inOrder = matches.toSorted((one, other) => one.index - other.index);
  for (const { index, 0: whole, 1: value = whole } of inOrder) {
    if (index >= at) redacted += text.slice(at, index) + REDACTED;
    at = Math.max(at, index + value.length);
  }
  return redacted + text.slice(at);
}

/** Returns the strings and numbers of a value, at any depth. */
function valuesOf(value: unknown): string[] {
  if (typeof value === 'number') return [String(value)];
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(valuesOf);
  if (typeof value !== 'string') return [];
  // Launch options may be a JSON string, which is sent decoded; and the platform may trim values.
  const options = readLaunchOptions(value);
  const text = value.trim();
  const isLeftOut = text === '' || (options !== undefined && text.length > MAX_VALUE);
  return [...(isLeftOut ? [] : [text]), ...valuesOf(options)];
}
