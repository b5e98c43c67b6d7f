import {
  AdHocReportFetch,
  GameOpen,
  GamePlayer,
  GameSession,
  RakeReportFetch,
  readLaunchOptions,
  SessionCreate,
} from '#contracts/validation';

import { type Decoded, decodeOnce } from './notations.ts';

/** A value that a text holds: its first unit, and the one behind its last. */
type Place = readonly [start: number, end: number];

const REDACTED = '***';
/** Any signature, also one that the platform says it expected. */
const SIGNATURE = /[0-9a-f]{64}/giu;
/** No command of a person has more values; if one does, no text of its answer is passed on. */
const MAX_VALUES = 100;
/** Only launch options are longer, and their members are values themselves. */
const MAX_VALUE = 512;
/** A shorter value is redacted only if it stands alone, so that an id of `7` does not redact a part of every year. */
const SHORT = 3;
const LETTER_OR_DIGIT = String.raw`[\p{L}\p{N}]`;
const MAX_TEXT = 4096;
const MAX_CHARACTERS = 300;
/** How often a value may have been escaped; an honest platform and its proxies do so once or twice. */
const MAX_LAYERS = 8;
/** Comparisons for all texts of an answer: units of a text's layers times units of the values. Beyond it, texts are left out. */
const BUDGET = 20_000_000;
/** The members of what is sent to the platform, and of the documents around them, whose names are no secret. */
const NAMES: ReadonlySet<string> = new Set(
  [
    'data',
    'attributes',
    'type',
    'meta',
    ...[SessionCreate, GameOpen, GamePlayer, GameSession, AdHocReportFetch, RakeReportFetch].flatMap(
      (Shape) => Object.keys(new Shape()),
    ),
  ].map(plain),
);

/**
 * Redacts texts of the platform: secrets and the values of a command become `***`, and long texts are cut. A value is
 * found as it is, in a URL or a form, in JSON or HTML, and escaped more than once.
 *
 * The time is bounded, whatever the values and the texts hold.
 */
export class Redactor {
  /** Matches where a value begins; `undefined`: there are too many values. */
  readonly #values: RegExp | undefined;
  readonly #units: number;
  #budget = BUDGET;

  /** @param secrets values at any depth; strings and numbers count */
  constructor(secrets: unknown) {
    const values = new Set<string>();
    collect(secrets, values);
    const writings = [...values].flatMap(writingsOf);
    this.#units = writings.reduce((sum, { length }) => sum + length, 1);
    if (values.size <= MAX_VALUES) this.#values = patternOf(writings);
  }

  redact(text: string): string {
    return this.#redact(text, (_, place) => [place]);
  }

  /** A JSON pointer: a value redacts the whole segments that it is in; the names of the interface stay. */
  redactPointer(pointer: string): string {
    return this.#redact(pointer, segmentsOf);
  }

  #redact(text: string, widened: (text: string, place: Place) => readonly Place[]): string {
    const start = text.slice(0, MAX_TEXT);
    const layers = layersOf(start);
    this.#budget -= (layers?.length ?? MAX_LAYERS) * start.length * this.#units;
    const values = this.#values;
    if (values === undefined || layers === undefined || this.#budget < 0) return REDACTED;
    const places = layers.flatMap((layer) => placesIn(layer, values));
    for (const { 0: signature, index } of start.matchAll(SIGNATURE)) {
      places.push([index, index + signature.length]);
    }
    // Redacted before it is cut, so that no half of a value is left at the cut.
    const redacted = without(
      start,
      places.flatMap((place) => widened(start, place)),
    );
    if (text.length > MAX_TEXT && redacted.length <= MAX_CHARACTERS) return REDACTED;
    return redacted.slice(0, MAX_CHARACTERS).replace(/[\ud800-\udbff]$/, '');
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

/** The text as it is, and after each layer of notations; `undefined` if there are too many of them. */
function layersOf(text: string): Decoded[] | undefined {
  const layers: Decoded[] = [{ text }];
  for (let layer = decodeOnce(layers[0] as Decoded); layer; layer = decodeOnce(layer)) {
    if (layers.push(layer) > MAX_LAYERS) return undefined;
  }
  return layers;
}

/**
 * A value as it is, and as what is left if everything in it is decoded that looks like a notation. Its upper and its lower
 * case are values of their own, since some letters become several, which a comparison letter by letter does not find.
 */
function writingsOf(value: string): string[] {
  const cases = new Set([value, value.toUpperCase(), value.toLowerCase()]);
  return [...new Set([...cases].flatMap((text) => [text, layersOf(text)?.at(-1)?.text ?? text]))];
}

/** The places of values in one layer, as places in the text itself. */
function placesIn({ text, starts, ends }: Decoded, values: RegExp): Place[] {
  return [...asInForm(text).matchAll(values)].map(({ 1: value = '', index }) => {
    const end = index + value.length;
    return [starts?.[index] ?? index, ends?.[end - 1] ?? end];
  });
}

function without(text: string, places: Place[]): string {
  let redacted = '';
  let at = 0;
  for (const [start, end] of places.toSorted(([a], [b]) => a - b)) {
    // What overlaps is one place.
    if (start >= at) redacted += text.slice(at, start) + REDACTED;
    at = Math.max(at, end);
  }
  return redacted + text.slice(at);
}

/** The segments of a pointer that a place touches, without those that are names of the interface. */
function segmentsOf(pointer: string, [from, to]: Place): Place[] {
  const segments: Place[] = [];
  for (let start = pointer.lastIndexOf('/', from - 1) + 1; start < to;) {
    const slash = pointer.indexOf('/', start);
    const end = slash === -1 ? pointer.length : slash;
    if (end > start && !NAMES.has(plain(pointer.slice(start, end)))) segments.push([start, end]);
    start = end + 1;
  }
  return segments;
}

/** One spelling of a name of the interface document: `auth-type` and `authType` are one. */
function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[-_]/g, '');
}

function collect(value: unknown, values: Set<string>): void {
  if (typeof value === 'string') {
    // Launch options may be a string of JSON; the platform gets what it holds.
    if (value.startsWith('{')) collect(readLaunchOptions(value), values);
    if (value.length <= MAX_VALUE && value.trim() !== '') values.add(value);
  } else if (typeof value === 'number') {
    values.add(String(value));
  } else if (typeof value === 'object' && value !== null) {
    for (const member of Object.values(value)) collect(member, values);
  }
}
