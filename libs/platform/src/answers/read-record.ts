import { type RecordFault, REPORT_AMOUNTS, type ReportRecord } from '#contracts';

import { attributesOf, idIn, integerIn, isText, objectAt, textAt, UnexpectedDocument } from './document.ts';

/** What the interface document says of the records of a report; names as the platform writes them. */
export interface RecordShape {
  readonly type: string;
  /** Texts that every record has. */
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

/** The names in replies by those of the platform: a page has each of them a thousand times. */
const NAMES = new Map(['userId', ...REPORT_AMOUNTS['ad-hoc']].map((name) => [kebabCase(name), name]));
/** The names of a hostile answer are remembered only up to a limit. */
const MAX_NAMES = 1000;
const MAX_LENGTH = 64;
/** Looks at a run of dashes once: from its first one alone. */
const DASHES = /(?<!-)-+([^-])/g;

/**
 * One record of a page as replies have it. An amount that the interface lists is an integer, also one that comes as a text;
 * one beyond 2^53 is an object of `JSON.rawJSON`, which `JSON.stringify` writes back as it was. An integer id is a text.
 *
 * @param tolerate takes an amount, user or currency that is not as the interface document has it; absent: it fails the page
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
    // The id is there already, and nobody has checked a `userId` or `user--id` beside `user-id`.
    const isTaken = Object.hasOwn(record, name) && (name === 'id' || attribute !== kebabCase(name));
    // `__proto__` would set the prototype instead of a member.
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

/** The name of an attribute in replies: `user-id` as `userId`. */
function camelCase(name: string): string {
  const known = NAMES.get(name);
  if (known !== undefined) return known;
  const converted = name.replace(DASHES, (_dash, next: string) => next.toUpperCase());
  if (NAMES.size < MAX_NAMES && name.length <= MAX_LENGTH) NAMES.set(name, converted);
  return converted;
}

/** The attribute of a name in replies: `userId` as `user-id`. */
function kebabCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
