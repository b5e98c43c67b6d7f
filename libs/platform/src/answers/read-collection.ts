import { crc32 } from 'node:zlib';

import type { RecordFault } from '#contracts';

import type { OperatorCredentials, PlatformSettings } from '../platform-settings.ts';
import { type JsonObject, objectAt, parseBody, parseDocument, UnexpectedDocument } from './document.ts';
import { readRecord, type RecordShape } from './read-record.ts';
import { type Range, scanRecords } from './scan-records.ts';
import { oneAtATime, Slices } from './slices.ts';

/** One page of a report, with what the platform's envelope says of it. */
export interface CollectionPage {
  /** The records as replies have them, in JSON, with commas and without the brackets of their list; its sender takes them out. */
  readonly written: Buffer[];
  /** Whether it is so large that no other one should be fetched while it is kept. */
  readonly isLarge: boolean;
  /** What tells each record from all others of its report. */
  readonly identities: readonly string[];
  /** The CRC-32 of each record, which tells whether one that comes again is the same. */
  readonly digests: readonly number[];
  /** The decimals of each currency on the page, `null` if they are not configured. */
  readonly precisions: Readonly<Record<string, number | null>>;
  /** What is wrong with records that were passed on as they are, up to some thousands; absent if nothing is. */
  readonly faults?: readonly RecordFault[];
  /** How many there are, also beyond those. */
  readonly faultCount: number;
  readonly totalCount: number;
  readonly pageCount: number;
  readonly currentPage: number;
  readonly perPage: number;
}

/** How the records of one operator are read. */
export interface RecordSettings {
  readonly strictness: PlatformSettings['reportRecords'];
  readonly precisions?: OperatorCredentials['currencyPrecisions'];
}

/** Pages of this size are ordinary: with the records that a caller may ask for, less than 1 MiB. */
const LARGE_BYTES = 1024 * 1024;
/** What a body holds beside its records. */
const MAX_FRAME_BYTES = 256 * 1024;
/** Faults that a page names. */
const MAX_FAULTS = 10_000;
/** There are some two hundred. */
const MAX_CURRENCIES = 1_000;

/**
 * Reads a collection envelope and writes its records as replies have them: names become camelCase, amounts keep every
 * digit.
 *
 * All of it is done in slices of the event loop, and no record is kept longer than its slice, so that a page costs its
 * bytes in memory. Large pages are read one after the other.
 *
 * @param bytes UTF-8
 * @throws UnexpectedDocument
 */
export function readCollection(
  bytes: Buffer,
  shape: RecordShape,
  settings: RecordSettings,
): Promise<CollectionPage> {
  const isLarge = bytes.length > LARGE_BYTES;
  const read = () => readPage(bytes, isLarge, shape, settings);
  return isLarge ? oneAtATime(read) : read();
}

async function readPage(
  bytes: Buffer,
  isLarge: boolean,
  shape: RecordShape,
  { strictness, precisions }: RecordSettings,
): Promise<CollectionPage> {
  const written: Buffer[] = [];
  const identities: string[] = [];
  const digests: number[] = [];
  const currencies = new Set<string>();
  const isLenient = strictness === 'lenient';
  const faults: RecordFault[] = [];
  let faultCount = 0;
  const tolerate = (fault: RecordFault): void => {
    faultCount += 1;
    if (faultCount <= MAX_FAULTS) faults.push(fault);
  };

  function write({ start, end }: Range): void {
    if (start === end) return;
    const batch = parseBody(`[${bytes.toString('utf8', start, end)}]`) as unknown[];
    const isFirst = identities.length === 0;
    if (batch.length === 0 && isFirst) return;
    // Only behind a comma.
    if (batch.length === 0) throw new UnexpectedDocument('the body is not JSON');
    const texts = batch.map((resource) => {
      const record = readRecord(resource, shape, identities.length, isLenient ? tolerate : undefined);
      const { id, currency, moneyType } = record;
      // The interface document does not say that an id alone tells a player's currencies and kinds of money apart.
      identities.push(`${id} ${String(currency)} ${JSON.stringify(moneyType)}`);
      if (typeof currency === 'string' && currency !== '') currencies.add(currency);
      const text = JSON.stringify(record);
      digests.push(crc32(text));
      return text;
    });
    if (currencies.size > MAX_CURRENCIES) throw new UnexpectedDocument('there are too many currencies');
    written.push(Buffer.from(`${isFirst ? '' : ','}${texts.join(',')}`));
  }

  const slices = new Slices();
  const scan = scanRecords(bytes);
  let step = scan.next();
  for (; !step.done; step = scan.next()) {
    await slices.next();
    write(step.value);
  }
  const meta = objectAt(readFrame(bytes, step.value)['meta'], '/meta');
  const decimals = [...currencies].map((currency) => [currency, precisions?.get(currency) ?? null]);
  return {
    written,
    isLarge,
    identities,
    digests,
    precisions: Object.fromEntries(decimals) as CollectionPage['precisions'],
    ...(faultCount > 0 && { faults }),
    faultCount,
    totalCount: countAt(meta, 'total-count'),
    pageCount: countAt(meta, 'page-count'),
    currentPage: countAt(meta, 'current-page'),
    perPage: countAt(meta, 'per-page'),
  };
}

/** What is around the records. A list that was scanned is `[0]` in it, so that a second one under its name is noticed. */
function readFrame(bytes: Buffer, content: Range | undefined): JsonObject {
  const { start, end } = content ?? { start: bytes.length, end: bytes.length };
  if (bytes.length - (end - start) > MAX_FRAME_BYTES) {
    throw new UnexpectedDocument(
      content ? 'the body is too large beside its records' : '/data is not a list',
    );
  }
  const [before, after] = [bytes.toString('utf8', 0, start), bytes.toString('utf8', end)];
  const frame = parseDocument(`${before}${content ? '0' : ''}${after}`);
  if (content && JSON.stringify(frame['data']) === '[0]') return frame;
  throw new UnexpectedDocument('/data is not a list');
}

function countAt(meta: JsonObject, name: string): number {
  const count = meta[name];
  if (Number.isSafeInteger(count) && (count as number) >= 0) return count as number;
  throw new UnexpectedDocument(`/meta/${name} is not a count`);
}
