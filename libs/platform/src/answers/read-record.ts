import { type RecordFault, REPORT_AMOUNTS, type ReportRecord } from '#contracts';

import { attributesOf, idIn, integerIn, isText, objectAt, textAt, UnexpectedDocument } from './document.ts';

/** The shape of a report's records in the interface document, with the platform's names. */
export interface RecordShape {
  readonly type: string;
  /** Required text members. */
  readonly texts: readonly string[];
  readonly integers: readonly string[];
}

/** Source: interface document, "Ad hoc report record". */
export const AD_HOC_RECORD: RecordShape = {
  type: 'ad-hoc-report',
  texts: ['date'],
  integers: ['money-type', ...REPORT_AMOUNTS['ad-hoc'].map(kebabCase)],
};

/** Source: interface document, "Player rake record". */
export const RAKE_RECORD: RecordShape = {
  type: 'players-rake',
  texts: [],
  integers: REPORT_AMOUNTS.rake.map(kebabCase),
};

/** Cache of reply names by platform name, because each name occurs a thousand times on a page. */
const NAMES = new Map(['userId', ...REPORT_AMOUNTS['ad-hoc']].map((name) => [kebabCase(name), name]));
/** Limits the cache, because a hostile answer may contain any number of names. */
const MAX_NAMES = 1000;
const MAX_LENGTH = 64;
/** Matches a run of dashes only from its first dash, so that each run is scanned once. */
const DASHES = /(?<!-)-+([^-])/g;

/**
 * Returns one record of a page in the form used in replies. Amounts listed in the interface document become
 * integers, even if sent as text; an amount beyond 2^53 becomes a `JSON.rawJSON` object, which
 * `JSON.stringify` writes unchanged. An integer id becomes a text.
 *
 * @param tolerate called for an amount, user or currency that violates the interface document; if absent, the
 *   page fails
 * @throws UnexpectedDocument
 */
export function readRecord(
  value: unknown,
  shape: RecordShape,
  index: number,
  tolerate?: (fault: RecordFault) => void,
): ReportRecord {
  const where = `/data/${index}`;
  const resource = objectAt(value, where);
  const attributes = attributesOf(resource, shape.type, where);
  const inAttributes = `${where}/attributes`;
  const fault = (name: string, message: string): void => {
    if (!tolerate) {
      const passedOn = 'REPORT_RECORDS=lenient passes such records on';
      throw new UnexpectedDocument(`${inAttributes}/${name} ${message}; ${passedOn}`);
    }
    tolerate({ pointer: `/records/${index}/${camelCase(name)}`, message });
  };
  for (const name of shape.texts) textAt(attributes, name, inAttributes);
  const userId = idIn(attributes['user-id']);
  if (userId === undefined) fault('user-id', 'is not a non-empty string');
  if (!isText(attributes['currency'])) fault('currency', 'is not a non-empty string');
  const { id = attributes['id'] } = resource;
  const record: Record<string, unknown> = { id: idIn(id) ?? textAt({ id }, 'id', where) };
  for (const attribute of Object.keys(attributes)) {
    const name = camelCase(attribute);
    // The id is already set, and a `userId` or `user--id` in addition to `user-id` has not been validated.
    const isTaken = Object.hasOwn(record, name) && (name === 'id' || attribute !== kebabCase(name));
    // Assigning `__proto__` would set the prototype instead of a member.
    if (!isTaken && name !== '__proto__') record[name] = attributes[attribute];
  }
  if (userId !== undefined) record['userId'] = userId;
  for (const attribute of shape.integers) {
    const integer = integerIn(attributes[attribute]);
    if (integer === undefined) fault(attribute, attribute in attributes ? 'is not an integer' : 'is absent');
    else if (integer !== attributes[attribute]) record[camelCase(attribute)] = integer;
  }
  return record as ReportRecord;
}

/** Converts a platform attribute name to the name in replies: `user-id` becomes `userId`. */
function camelCase(name: string): string {
  const known = NAMES.get(name);
  if (known !== undefined) return known;
  const converted = name.replace(DASHES, (_dash, next: string) => next.toUpperCase());
  if (NAMES.size < MAX_NAMES && name.length <= MAX_LENGTH) NAMES.set(name, converted);
  return converted;
}

/** Converts a name in replies to the platform attribute name: `userId` becomes `user-id`. */
function kebabCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
