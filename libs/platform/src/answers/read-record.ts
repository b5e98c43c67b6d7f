import type { RecordFault, ReportRecord } from '#contracts';

import {
  attributesOf,
  isInteger,
  type JsonObject,
  objectAt,
  textAt,
  UnexpectedDocument,
} from './document.ts';
import { camelCase, type RecordShape } from './record-shapes.ts';

/** Faults that a page names. */
const MAX_FAULTS = 10_000;

/** What is wrong with the records of a page that were passed on as they are. */
export class ToleratedFaults {
  readonly named: RecordFault[] = [];
  /** Also of those that are not named, because there are too many. */
  count = 0;

  add(fault: RecordFault): void {
    this.count += 1;
    if (this.named.length < MAX_FAULTS) this.named.push(fault);
  }
}

/**
 * One record of a page as replies have it. An amount that the interface lists is an integer; one beyond 2^53 is an object
 * of `JSON.rawJSON`, which `JSON.stringify` writes back as it was.
 *
 * @param tolerated where to name an amount, user or currency that is not as the interface document has it; absent: it
 *   fails the page
 * @throws UnexpectedDocument
 */
export function readRecord(
  value: unknown,
  shape: RecordShape,
  index: number,
  tolerated: ToleratedFaults | undefined,
): ReportRecord {
  const where = `/data/${index}`;
  const resource = objectAt(value, where);
  const attributes = attributesOf(resource, shape.type, where);
  const inAttributes = `${where}/attributes`;
  for (const name of shape.texts) textAt(attributes, name, inAttributes);
  for (const [name, message] of faultsOf(attributes, shape)) {
    if (tolerated === undefined) throw new UnexpectedDocument(`${inAttributes}/${name} ${message}`);
    tolerated.add({ pointer: `/records/${index}/${camelCase(name)}`, message });
  }
  const holder = 'id' in resource || !('id' in attributes) ? resource : attributes;
  const record: Record<string, unknown> = { id: textAt(holder, 'id', where) };
  for (const attribute of Object.keys(attributes)) {
    const name = camelCase(attribute);
    // `__proto__` would set the prototype instead of a member.
    if (name !== 'id' && name !== '__proto__') record[name] = attributes[attribute];
  }
  return record as ReportRecord;
}

/** What a lenient installation passes on, in the order of the interface document. */
function* faultsOf(
  attributes: JsonObject,
  { tolerableTexts, integers }: RecordShape,
): Generator<[name: string, message: string]> {
  for (const name of tolerableTexts) {
    const text = attributes[name];
    if (typeof text !== 'string' || text === '') yield [name, 'is not a non-empty string'];
  }
  for (const name of integers) {
    if (isInteger(attributes[name])) continue;
    yield [name, name in attributes ? 'is not an integer' : 'is absent'];
  }
}
