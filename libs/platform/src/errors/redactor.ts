import {
  AdHocReportFetch,
  GameOpen,
  GamePlayer,
  GameSession,
  RakeReportFetch,
  SessionCreate,
} from '#contracts/validation';

import { type Decoded, decodeOnce } from './notations.ts';
import { type Place, ValueFinder } from './value-finder.ts';

const REDACTED = '***';
/** Any signature, also one that the platform says it expected. */
const SIGNATURE = /[0-9a-f]{64}/giu;
/** No command of a person has more values; if one does, no text of its answer is passed on. */
const MAX_VALUES = 100;
/** Only launch options are longer, and their members are values themselves. */
const MAX_VALUE = 512;
const MAX_TEXT = 4096;
const MAX_CHARACTERS = 300;
/** How often a value may have been escaped; an honest platform and its proxies do so once or twice. */
const MAX_LAYERS = 8;
/** Of all texts of an answer, in units looked at; beyond it, texts are left out. */
const BUDGET = 65_536;
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
 * The time is bounded by the length of the values and the texts, whatever they hold.
 */
export class Redactor {
  /** `undefined`: there are too many values. */
  readonly #finder: ValueFinder | undefined;
  #budget = BUDGET;

  /** @param secrets values at any depth; strings and numbers count */
  constructor(secrets: unknown) {
    const values = new Set<string>();
    collect(secrets, values);
    if (values.size <= MAX_VALUES) this.#finder = new ValueFinder([...values].flatMap(writingsOf));
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
    this.#budget -= (layers?.length ?? MAX_LAYERS) * start.length;
    if (this.#finder === undefined || layers === undefined || this.#budget < 0) return REDACTED;
    const finder = this.#finder;
    const places = layers.flatMap((layer) => placesIn(layer, finder.find(layer.text)));
    for (const { 0: signature, index } of start.matchAll(SIGNATURE)) {
      places.push([index, index + signature.length]);
    }
    // Redacted before it is cut, so that no half of a value is left at the cut.
    const redacted = without(
      start,
      places.flatMap((place) => widened(start, place)),
    );
    if (text.length > MAX_TEXT && redacted.length <= MAX_CHARACTERS) return REDACTED;
    const cut = redacted.slice(0, MAX_CHARACTERS);
    return cut.isWellFormed() ? cut : cut.slice(0, -1).toWellFormed();
  }
}

/** The text as it is, and after each layer of notations; `undefined` if there are too many of them. */
function layersOf(text: string): Decoded[] | undefined {
  const layers: Decoded[] = [{ text }];
  for (let layer = decodeOnce(layers[0] as Decoded); layer; layer = decodeOnce(layer)) {
    if (layers.push(layer) > MAX_LAYERS) return undefined;
  }
  return layers;
}

/** A value as it is, and as what is left if everything in it is decoded that looks like a notation. */
function writingsOf(value: string): string[] {
  const innermost = layersOf(value)?.at(-1)?.text;
  return innermost === undefined || innermost === value ? [value] : [value, innermost];
}

/** Places of a layer in the text itself. */
function placesIn({ starts, ends }: Decoded, places: readonly Place[]): Place[] {
  return places.map(([start, end]) => [starts?.[start] ?? start, ends?.[end - 1] ?? end]);
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
    if (end > start && !isInterfaceName(pointer.slice(start, end))) segments.push([start, end]);
    start = end + 1;
  }
  return segments;
}

/** Whether a segment of a pointer is a name of the interface document, however it is spelled: `auth-type` or `authType`. */
function isInterfaceName(segment: string): boolean {
  return NAMES.has(plain(segment));
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[-_]/g, '');
}

function collect(value: unknown, values: Set<string>): void {
  if (typeof value === 'string') {
    // Launch options may be a string of JSON; the platform gets what it holds.
    if (value.startsWith('{')) collect(parsed(value), values);
    if (value.length <= MAX_VALUE) add(value, values);
  } else if (typeof value === 'number') {
    add(String(value), values);
  } else if (typeof value === 'object' && value !== null) {
    for (const member of Object.values(value)) collect(member, values);
  }
}

function add(value: string, values: Set<string>): void {
  if (value.trim() === '') return;
  values.add(value);
  // Some letters become several in another case, which a comparison one by one does not find.
  for (const other of [value.toUpperCase(), value.toLowerCase()]) {
    if (other.length !== value.length) values.add(other);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
