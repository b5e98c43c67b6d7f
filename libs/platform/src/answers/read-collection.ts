import { crc32 } from 'node:zlib';

import type { RecordFault } from '#contracts';

import type { OperatorCredentials, PlatformSettings } from '../platform-settings.ts';
import { CooperativeTask, oneAtATime } from './cooperative-task.ts';
import { isText, type JsonObject, objectAt, parseBody, UnexpectedDocument } from './document.ts';
import { readRecord, type RecordShape } from './read-record.ts';

/** One page of a report, with the metadata of the platform's envelope. */
export type CollectionPage = Awaited<ReturnType<typeof readPage>>;

/** The operator's settings that affect the records. */
type Reader = Pick<OperatorCredentials, 'currencyPrecisions'> & {
  readonly settings: Pick<PlatformSettings, 'reportRecords'>;
};

type Range = readonly [start: number, end: number];

/**
 * Ordinary pages are smaller: with the most records that a caller may request, a page has less than 1 MiB.
 */
const LARGE_BYTES = 1024 * 1024;
/** Limit on the bytes of a body outside its records. */
const MAX_FRAME_BYTES = 256 * 1024;
const MAX_FAULTS = 10_000;
/** Limit on the currencies of a page; about two hundred exist. */
const MAX_CURRENCIES = 1_000;
/**
 * Bytes of records that are yielded together, unless one record is longer. Also the bytes scanned between two
 * pauses.
 */
const BATCH = 16 * 1024;
/**
 * A typical record is about 600 bytes long. A record of this size that contains only numbers may take ten
 * milliseconds.
 */
const MAX_RECORD = 64 * 1024;
/** Covers the document, list, record, attributes, and nested attribute values. */
const MAX_DEPTH = 32;

/**
 * Creates a reader for a collection envelope that writes the records in the form used in replies: names
 * become camelCase, and amounts keep every digit.
 *
 * The work is done in slices of the event loop, and parsed records are released after each slice, so that a
 * page needs little more memory than its bytes. Large pages are read sequentially.
 *
 * @returns a function that reads a page from UTF-8 and throws UnexpectedDocument
 */
export const readCollection =
  (shape: RecordShape) =>
  (bytes: Buffer, reader: Reader): Promise<CollectionPage> => {
    const read = () => readPage(bytes, shape, reader);
    return bytes.length > LARGE_BYTES ? oneAtATime(read) : read();
  };

async function readPage(bytes: Buffer, shape: RecordShape, { settings, currencyPrecisions }: Reader) {
  const written: Buffer[] = [];
  const identities: string[] = [];
  const digests: number[] = [];
  const currencies = new Map<string, number | null>();
  const faults: RecordFault[] = [];
  let faultCount = 0;
  const tolerate = (fault: RecordFault): void => {
    faultCount += 1;
    if (faultCount <= MAX_FAULTS) faults.push(fault);
  };
  const tolerateOdd = settings.reportRecords === 'lenient' ? tolerate : undefined;
  const write = (resource: unknown): string => {
    const record = readRecord(resource, shape, identities.length, tolerateOdd);
    const { id, currency, moneyType } = record;
    // The interface document does not guarantee that the id alone distinguishes a player's currencies and
    // kinds of money.
    identities.push(`${id} ${String(currency)} ${JSON.stringify(moneyType)}`);
    if (isText(currency)) currencies.set(currency, currencyPrecisions?.get(currency) ?? null);
    if (currencies.size > MAX_CURRENCIES) throw new UnexpectedDocument('there are too many currencies');
    const text = JSON.stringify(record);
    digests.push(crc32(text));
    return text;
  };

  const task = new CooperativeTask();
  const scan = scanRecords(bytes);
  let step = scan.next();
  for (; !step.done; step = scan.next()) {
    await task.yieldIfDue();
    const [start, end] = step.value;
    if (start === end) continue;
    const batch = parseBody(`[${bytes.toString('utf8', start, end)}]`) as unknown[];
    const comma = identities.length === 0 ? '' : ',';
    if (batch.length > 0) written.push(Buffer.from(comma + batch.map(write).join()));
    // An empty batch is allowed only if no comma precedes it.
    else if (comma !== '') throw new UnexpectedDocument('the body is not JSON');
  }
  const meta = objectAt(readFrame(bytes, step.value)['meta'], '/meta');
  return {
    /**
     * The records as JSON for the reply, separated by commas, without the brackets of the list. The sender of
     * the reply removes them from here.
     */
    written,
    /** True if the page is so large that no other page should be fetched while it is in memory. */
    isLarge: bytes.length > LARGE_BYTES,
    /** The identity of each record, unique within the report. */
    identities,
    /** The CRC-32 of each record, which tells whether a repeated record has changed. */
    digests,
    /** The decimals of each currency on the page; `null` if not configured. */
    precisions: Object.fromEntries(currencies),
    /** Faults of records that were passed on unchanged, at most `MAX_FAULTS`; absent if there are none. */
    ...(faultCount > 0 && { faults }),
    /** Number of all faults, including those not listed. */
    faultCount,
    totalCount: countAt(meta, 'total-count'),
    pageCount: countAt(meta, 'page-count'),
    currentPage: countAt(meta, 'current-page'),
    perPage: countAt(meta, 'per-page'),
  };
}

const [QUOTE, BACKSLASH, COMMA, OPENING, CLOSING] = Buffer.from('"\\,{}');
/** The bit that distinguishes a brace from the corresponding bracket in ASCII. */
const BRACE_BIT = 0x20;
/** The beginning of the list of records, and its maximum length in bytes. */
const DATA = /^"data"[ \n\r\t]*:[ \n\r\t]*(?=\[)/;
const MAX_DATA = 128;

/**
 * Finds the records of a collection by scanning its bytes for quotation marks and brackets only; parsing the
 * ranges later validates the JSON. Each step scans about 16 KiB, whatever they contain, so that the caller
 * can pause between steps.
 *
 * @yields complete records with the commas between them, or an empty range if no record is complete
 * @returns the range of the content of the list `data`; `undefined` if there is no such list
 * @throws UnexpectedDocument if a record exceeds the limit of size or depth
 */
function* scanRecords(bytes: Buffer): Generator<Range, Range | undefined> {
  let depth = 0;
  let isInText = false;
  /** The position of the list's opening bracket, once its name has been found; otherwise -1. */
  let listAt = -1;
  let start = -1;
  let pauseAt = BATCH;
  for (let at = 0; at < bytes.length; at += 1) {
    if (at >= pauseAt) {
      pauseAt = at + BATCH;
      if (start !== -1 && at - start > MAX_RECORD) throw new UnexpectedDocument('a record is too large');
      yield [at, at];
    }
    const byte = bytes[at] as number;
    if (isInText) {
      if (byte === QUOTE) isInText = false;
      else if (byte === BACKSLASH) at += 1;
    } else if (byte === QUOTE) {
      isInText = true;
      if (depth !== 1 || listAt !== -1) continue;
      const [name] = DATA.exec(bytes.toString('latin1', at, at + MAX_DATA)) ?? [];
      if (name !== undefined) listAt = at + name.length;
    } else if ((byte | BRACE_BIT) === OPENING) {
      depth += 1;
      if (depth > MAX_DEPTH) throw new UnexpectedDocument('the body is nested too deep');
      if (at === listAt) start = at + 1;
    } else if ((byte | BRACE_BIT) === CLOSING) {
      depth -= 1;
      if (depth !== 1 || start === -1) continue;
      yield [start, at];
      return [listAt + 1, at];
    } else if (byte === COMMA && depth === 2 && start !== -1 && at - start >= BATCH) {
      yield [start, at];
      start = at + 1;
      pauseAt = start + BATCH;
    }
  }
  return undefined;
}

/**
 * Parses the document without its records. The scanned list is replaced by `[0]`, so that a second list with
 * that name is detected.
 */
function readFrame(bytes: Buffer, content: Range | undefined): JsonObject {
  const [start, end] = content ?? [bytes.length, bytes.length];
  if (bytes.length - (end - start) > MAX_FRAME_BYTES) {
    const reason = content ? 'the body is too large beside its records' : '/data is not a list';
    throw new UnexpectedDocument(reason);
  }
  const [before, after] = [bytes.toString('utf8', 0, start), bytes.toString('utf8', end)];
  const frame = objectAt(parseBody(`${before}${content ? '0' : ''}${after}`), 'the body');
  if (content && JSON.stringify(frame['data']) === '[0]') return frame;
  throw new UnexpectedDocument('/data is not a list');
}

function countAt(meta: JsonObject, name: string): number {
  const count = meta[name];
  if (Number.isSafeInteger(count) && (count as number) >= 0) return count as number;
  throw new UnexpectedDocument(`/meta/${name} is not a count`);
}
