import { valuePattern } from './value-pattern.ts';

const BLANK = '***';
/** Any signature, also one that the platform says it expected. */
const SIGNATURE = '[0-9a-f]{64}';
/** A command that carries more is hardly one of a person; of an answer to it no text is passed on. */
const MAX_VALUES = 100;
/** Only launch options are longer; their members are values themselves. */
const MAX_VALUE = 512;
const MAX_TEXT = 8192;
const MAX_CHARACTERS = 300;

/** Makes texts of the platform fit to be passed on: the values of a command, and secrets, blanked out, and cut. */
export class Redactor {
  /** `undefined`: there is too much to blank. */
  readonly #pattern: RegExp | undefined;

  /** @param untold values at any depth; strings and numbers count */
  constructor(untold: unknown) {
    const values = new Set<string>();
    collect(untold, values);
    if (values.size > MAX_VALUES) return;
    const longestFirst = [...values].toSorted((a, b) => b.length - a.length);
    this.#pattern = new RegExp([SIGNATURE, ...longestFirst.map(valuePattern)].join('|'), 'giu');
  }

  redact(text: string): string {
    if (this.#pattern === undefined) return BLANK;
    // Blanked first and cut then, so that no half of a value is left at the cut.
    const blanked = text.slice(0, MAX_TEXT).replace(this.#pattern, BLANK);
    if (text.length > MAX_TEXT && blanked.length <= MAX_CHARACTERS) return BLANK;
    const start = blanked.slice(0, MAX_CHARACTERS);
    return start.isWellFormed() ? start : start.slice(0, -1).toWellFormed();
  }
}

function collect(value: unknown, values: Set<string>): void {
  if (typeof value === 'string') {
    // Launch options may be a string of JSON, of which the platform gets what it holds.
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
  // Some letters change their number in capitals, which a comparison without case does not see.
  const capitals = value.toUpperCase();
  if (capitals.length !== value.length) values.add(capitals);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
