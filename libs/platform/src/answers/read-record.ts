import type { RecordFault, ReportRecord } from '#contracts';

import { camelCase } from './camel-case.ts';
import { attributesOf, objectAt, textAt, UnexpectedDocument } from './document.ts';
import { isInteger } from './raw-numbers.ts';
import type { RecordShape } from './record-shapes.ts';

/** Faults that a page names. */
const MAX_FAULTS = 10_000;

/**
 * One record of a page as replies have it. An amount that the interface lists is an integer if it is present; one beyond
 * 2^53 is an object of `JSON.rawJSON`, which `JSON.stringify` writes back as it was.
 *
 * @param tolerated where to name what is no integer; absent: it fails the page
 * @throws UnexpectedDocument
 */
export function readRecord(
  value: unknown,
  shape: RecordShape,
  index: number,
  tolerated: RecordFault[] | undefined,
): ReportRecord {
  const where = `/data/${index}`;
  const resource = objectAt(value, where);
  const attributes = attributesOf(resource, shape.type, where);
  for (const name of shape.texts) textAt(attributes, name, where);
  for (const name of shape.integers) {
    if (!(name in attributes) || isInteger(attributes[name])) continue;
    if (tolerated === undefined) throw new UnexpectedDocument(`${where}/${name} is not an integer`);
    if (tolerated.length < MAX_FAULTS) {
      tolerated.push({ pointer: `/records/${index}/${camelCase(name)}`, message: 'is not an integer' });
    }
  }
  const record: Record<string, unknown> = {
    id: textAt('id' in resource ? resource : attributes, 'id', where),
  };
  for (const attribute of Object.keys(attributes)) {
    const name = camelCase(attribute);
    // `__proto__` would set the prototype instead of a member.
    if (name !== 'id' && name !== '__proto__') record[name] = attributes[attribute];
  }
  return record as ReportRecord;
}
