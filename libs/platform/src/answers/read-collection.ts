import type { RecordFault, ReportRecord } from '#contracts';
import { nextSlice } from '#resilience';

import type { PlatformSettings } from '../platform-settings.ts';
import { camelCase } from './camel-case.ts';
import {
  attributesOf,
  type JsonObject,
  objectAt,
  parseDocument,
  textAt,
  UnexpectedDocument,
} from './document.ts';
import { isInteger, isRawNumber, parseWithRawNumbers } from './raw-numbers.ts';
import type { RecordShape } from './record-shapes.ts';

/** One page of a report, with what the platform's envelope says of it. */
export interface CollectionPage {
  readonly records: ReportRecord[];
  /** Each amount that was passed on although it is no integer; absent if there is none. */
  readonly faults?: readonly RecordFault[];
  readonly totalCount: number;
  readonly pageCount: number;
  readonly currentPage: number;
  readonly perPage: number;
}

/** Records that are read in one turn of the event loop, which players' commands share: some 0.5 ms. */
const SLICE = 100;
/** A deeper member could not be serialized again. */
const MAX_DEPTH = 16;

/**
 * Reads a collection envelope and its records: names become camelCase, amounts keep every digit.
 *
 * An amount that the interface lists is an integer if it is present; one beyond 2^53 is an object of `JSON.rawJSON`,
 * which `JSON.stringify` writes back as it was. What is no integer fails the page, or is passed on as it is and named.
 * The text is parsed at once, its records are read in slices.
 *
 * @param text gives the text once it is this page's turn: what waits does not hold it, so that it dies young
 * @throws UnexpectedDocument
 */
export async function readCollection(
  text: () => string,
  shape: RecordShape,
  strictness: PlatformSettings['reportRecords'],
): Promise<CollectionPage> {
  await nextSlice();
  const document = parseDocument(text(), parseWithRawNumbers);
  const resources = document['data'];
  if (!Array.isArray(resources)) throw new UnexpectedDocument('/data is not a list');
  const meta = objectAt(document['meta'], '/meta');
  const faults: RecordFault[] = [];
  const tolerated = strictness === 'lenient' ? faults : undefined;
  return {
    records: await readRecords(resources, shape, tolerated),
    ...(faults.length > 0 && { faults }),
    totalCount: countAt(meta, 'total-count'),
    pageCount: countAt(meta, 'page-count'),
    currentPage: countAt(meta, 'current-page'),
    perPage: countAt(meta, 'per-page'),
  };
}

async function readRecords(
  resources: readonly unknown[],
  shape: RecordShape,
  tolerated: RecordFault[] | undefined,
): Promise<ReportRecord[]> {
  const records: ReportRecord[] = [];
  for (const [index, resource] of resources.entries()) {
    if (index % SLICE === 0) await nextSlice();
    records.push(readRecord(resource, shape, index, tolerated));
  }
  return records;
}

/** @param tolerated where to name what is no integer; absent: it fails the page */
function readRecord(
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
    tolerated.push({ pointer: `/records/${index}/${camelCase(name)}`, message: 'is not an integer' });
  }
  const record: Record<string, unknown> = {
    id: textAt('id' in resource ? resource : attributes, 'id', where),
  };
  for (const attribute of Object.keys(attributes)) {
    const name = camelCase(attribute);
    // `__proto__` would set the prototype instead of a member.
    if (name === 'id' || name === '__proto__') continue;
    const member = attributes[attribute];
    if (typeof member === 'object') refuseDepth(member, where, MAX_DEPTH);
    record[name] = member;
  }
  return record as ReportRecord;
}

function refuseDepth(value: unknown, where: string, left: number): void {
  if (typeof value !== 'object' || value === null || isRawNumber(value)) return;
  if (left === 0) throw new UnexpectedDocument(`${where} is nested too deep`);
  for (const member of Object.values(value)) refuseDepth(member, where, left - 1);
}

function countAt(meta: JsonObject, name: string): number {
  const count = meta[name];
  if (typeof count !== 'number' || !Number.isSafeInteger(count) || count < 0) {
    throw new UnexpectedDocument(`/meta/${name} is not a count`);
  }
  return count;
}
