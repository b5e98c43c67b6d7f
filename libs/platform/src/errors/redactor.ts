import type { PlatformErrorEntry } from '#contracts';
import { COMMANDS, GamePlayer, GameSession, readLaunchOptions } from '#contracts/validation';

import { plainName } from './read-errors.ts';

const REDACTED = '***';
/** Any signature, also one that the platform says it expected. */
const SIGNATURE = /[0-9a-f]{64}/giu;
/** No command of a person has more values, or longer ones; if one does, no text of its answer is passed on. */
const MAX_VALUES = 100;
const MAX_VALUE = 512;
/** A shorter value is redacted only if it stands alone, so that an id of `7` does not redact a part of every year. */
const SHORT = 3;
const LETTER_OR_DIGIT = String.raw`[\p{L}\p{N}]`;
const MAX_TEXT = 4096;
const MAX_CHARACTERS = 300;
/** How often a value may have been escaped; an honest platform and its proxies do so once or twice. */
const MAX_LAYERS = 8;
/** Comparisons for all texts of an answer: units of a text's layers times units of the values; beyond it, texts are left out. */
const BUDGET = 20_000_000;
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
/** How texts are written in a URL, in HTML, in JSON and in a JSON pointer, and what each notation means; a pass is linear. */
const NOTATIONS: readonly (readonly [RegExp, (notation: string, part: string) => string])[] = [
  [/(?:%[0-9a-f]{2})+/gi, (bytes) => Buffer.from(bytes.replaceAll('%', ''), 'hex').toString()],
  [/&#(\d{1,12}|x[0-9a-f]{1,12});/gi, (notation, code) => characterOf(code.replace(/^x/i, '0x')) ?? notation],
  [/&(amp|lt|gt|quot|apos);/gi, (notation, name) => ENTITIES[name.toLowerCase()] ?? notation],
  // Both at once: the letter behind an escaped backslash is not part of a notation.
  [/\\(?:u([0-9a-f]{4})|[^\p{L}\p{N}])/giu, (notation, hex) => characterOf(`0x${hex}`) ?? notation.slice(1)],
  [/~([01])/g, (_, digit) => (digit === '0' ? '~' : '/')],
];
const LAST_CODE_POINT = 0x10_ff_ff;
/** The members of what is sent to the platform, and of the documents around them, whose names are no secret. */
const NAMES: ReadonlySet<string> = new Set(
  [...COMMANDS.map(({ data }) => data), GamePlayer, GameSession]
    .flatMap(({ members }): readonly string[] => members)
    .concat('data', 'attributes', 'type', 'meta')
    .map(plainName),
);

/** The errors of an answer as they may be passed on. @param secrets values, at any depth, that no text of theirs may repeat */
export function redactedErrors(
  errors: readonly PlatformErrorEntry[],
  secrets: readonly unknown[],
): readonly PlatformErrorEntry[] {
  if (errors.length === 0) return [];
  const redactor = new Redactor(secrets);
  return errors.map(({ title, detail, pointer, ...entry }) => ({
    ...entry,
    ...(title !== undefined && { title: redactor.redact(title) }),
    ...(detail !== undefined && { detail: redactor.redact(detail) }),
    ...(pointer !== undefined && { pointer: redactor.redactPointer(pointer) }),
  }));
}

/**
 * Redacts texts of the platform: secrets and the values of a command become `***`, and long texts are cut. A text that
 * holds a value as a URL, JSON or HTML writes it becomes `***` as a whole. The time is bounded, whatever they hold.
 */
export class Redactor {
  /** Matches where a value begins. */
  readonly #values: RegExp;
  /** Units of layers that may still be compared with all values. */
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
    // Redacted before it is cut, so that no half of a value is left at the cut.
    const redacted = this.#withoutValues(text.slice(0, MAX_TEXT));
    if (redacted === undefined || (text.length > MAX_TEXT && redacted.length <= MAX_CHARACTERS))
      return REDACTED;
    return redacted.slice(0, MAX_CHARACTERS).replace(/[\ud800-\udbff]$/, '');
  }

  /** A pointer, with slashes or dots: if it holds a value, only the names of the interface are left. */
  redactPointer(pointer: string): string {
    if (this.redact(pointer) === pointer) return pointer;
    const parts = pointer.slice(0, MAX_CHARACTERS).split(/([/.])/);
    return parts
      .map((part) => (/^[/.]?$/.test(part) || NAMES.has(plainName(part)) ? part : REDACTED))
      .join('');
  }

  /** @returns undefined if it holds a value in another notation, or would take too long */
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

/** The longest value at each place of a text, in any letter case, also if it overlaps with another one. */
function patternOf(values: readonly string[]): RegExp {
  const alternatives = values
    .toSorted((one, other) => other.length - one.length)
    .map((value) => {
      const literal = RegExp.escape(asInForm(value));
      return value.length < SHORT ? `(?<!${LETTER_OR_DIGIT})${literal}(?!${LETTER_OR_DIGIT})` : literal;
    });
  return new RegExp(alternatives.length > 0 ? `(?=(${alternatives.join('|')}))` : '(?!)', 'giu');
}

/** A plus is a space, as in a form. */
function asInForm(text: string): string {
  return text.replaceAll('+', ' ');
}

/**
 * A value as it is, and as what is left if everything in it is decoded that looks like a notation. Its upper and its lower
 * case are values of their own, since some letters become several, which a comparison letter by letter does not find.
 */
function writingsOf(value: string): string[] {
  const cases = [value, value.toUpperCase(), value.toLowerCase()];
  const decoded = cases.map((text) => Array.from({ length: MAX_LAYERS }).reduce<string>(decode, text));
  return [...new Set([...cases, ...decoded])];
}

/** Takes one layer of each notation off. */
function decode(text: string): string {
  return NOTATIONS.reduce((rest, [pattern, meaningOf]) => rest.replace(pattern, meaningOf), text);
}

function characterOf(code: string): string | undefined {
  return Number(code) <= LAST_CODE_POINT ? String.fromCodePoint(Number(code)) : undefined;
}

/** A text with `***` for what matches; what overlaps is one place. */
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

/** The strings and numbers of a value, at any depth. */
function valuesOf(value: unknown): string[] {
  if (typeof value === 'number') return [String(value)];
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(valuesOf);
  if (typeof value !== 'string') return [];
  // Launch options may be a string of JSON; the platform gets what it holds, and may trim what it gets.
  const options = readLaunchOptions(value);
  const text = value.trim();
  const isLeftOut = text === '' || (options !== undefined && text.length > MAX_VALUE);
  return [...(isLeftOut ? [] : [text]), ...valuesOf(options)];
}
