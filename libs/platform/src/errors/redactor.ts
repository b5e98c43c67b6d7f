const BLANK = '***';
const SHORT = 3;
/** Any signature, also one that the platform says it expected. */
const SIGNATURE = '[0-9a-f]{64}';
const SYNTAX = /[\\^$.*+?()[\]{}|/]/g;

/** A command that carries more is hardly one of a person; of an answer to it no text is passed on. */
const MAX_VALUES = 100;
const MAX_TEXT = 8192;
const MAX_CHARACTERS = 300;

/**
 * Makes texts of the platform fit to be passed on: the values of the command, and secrets, blanked out, and cut.
 *
 * A value is found in any case of letters, and also as it stands in a URL, a form, JSON or HTML. One shorter than three
 * characters counts where it stands alone, so that an id of `7` does not cut up every year.
 */
export class Redactor {
  /** `undefined`: there is too much to blank. */
  readonly #pattern: RegExp | undefined;

  /** @param data values at any depth; strings and numbers count */
  constructor(...data: readonly unknown[]) {
    const values = new Set<string>();
    collect(data, values);
    if (values.size > MAX_VALUES) return;
    const forms = new Set([...values].flatMap(writtenForms));
    const longestFirst = [...forms].toSorted((a, b) => b.length - a.length);
    this.#pattern = new RegExp([SIGNATURE, ...longestFirst.map(patternOf)].join('|'), 'giu');
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
    if (value.trim() !== '') values.add(value);
    // Launch options may be a string of JSON; the platform got what it holds.
    if (value.startsWith('{')) collect(parsed(value), values);
  } else if (typeof value === 'number') {
    values.add(String(value));
  } else if (typeof value === 'object' && value !== null) {
    for (const member of Object.values(value)) collect(member, values);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function writtenForms(value: string): string[] {
  const inUrl = encodeURIComponent(value);
  const inJson = JSON.stringify(value).slice(1, -1);
  const asciiJson = inJson.replace(
    /[^\0-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  const inHtml = value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return [
    value,
    inUrl,
    inUrl.replaceAll('%20', '+'),
    new URLSearchParams([['', value]]).toString().slice(1),
    inJson,
    asciiJson,
    asciiJson.replaceAll('/', '\\/'),
    inHtml,
    inHtml.replaceAll('"', '&quot;').replaceAll("'", '&#39;'),
    inHtml.replaceAll('"', '&quot;').replaceAll("'", '&#039;'),
  ];
}

function patternOf(form: string): string {
  const literal = form.replace(SYNTAX, '\\$&');
  return form.length < SHORT ? `(?<![\\p{L}\\p{N}])${literal}(?![\\p{L}\\p{N}])` : literal;
}
