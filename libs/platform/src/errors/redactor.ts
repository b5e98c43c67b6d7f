import { valuePattern } from './value-pattern.ts';

const REDACTED = '***';
/** Any signature, also one that the platform says it expected. */
const SIGNATURE = '[0-9a-f]{64}';
/** No command of a person has more values; if one does, no text of its answer is passed on. */
const MAX_VALUES = 100;
/** Only launch options are longer, and their members are values themselves. */
const MAX_VALUE = 512;
const MAX_TEXT = 8192;
const MAX_CHARACTERS = 300;

/** Redacts texts of the platform: secrets and the values of a command become `***`, and long texts are cut. */
export class Redactor {
  /** `undefined`: there are too many values. */
  readonly #pattern: RegExp | undefined;

  /** @param secrets values at any depth; strings and numbers count */
  constructor(secrets: unknown) {
    const values = new Set<string>();
    collect(secrets, values);
    if (values.size > MAX_VALUES) return;
    const longestFirst = [...values].toSorted((a, b) => b.length - a.length);
    this.#pattern = new RegExp([SIGNATURE, ...longestFirst.map(valuePattern)].join('|'), 'giu');
  }

  redact(text: string): string {
    if (this.#pattern === undefined) return REDACTED;
    // Redacted before it is cut, so that no half of a value is left at the cut.
    const redacted = text.slice(0, MAX_TEXT).replace(this.#pattern, REDACTED);
    if (text.length > MAX_TEXT && redacted.length <= MAX_CHARACTERS) return REDACTED;
    const start = redacted.slice(0, MAX_CHARACTERS);
    return start.isWellFormed() ? start : start.slice(0, -1).toWellFormed();
  }
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
  // Some letters become several in upper case, which a case-insensitive match does not find.
  const upperCase = value.toUpperCase();
  if (upperCase.length !== value.length) values.add(upperCase);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
