import { crc32 } from 'node:zlib';

import type { RecordFault } from '#contracts';

import type { OperatorCredentials, PlatformSettings } from '../platform-settings.ts';
import { CooperativeTask, oneAtATime } from './cooperative-task.ts';
import { isText, type JsonObject, objectAt, parseBody, UnexpectedDocument } from './document.ts';
import { readRecord, type RecordShape } from './read-record.ts';

/** One page of a report, with what the platform's envelope says of it. */
export type CollectionPage = Awaited<ReturnType<typeof readPage>>;

/** Whose report it is, as far as its records depend on it. */
type Reader = Pick<OperatorCredentials, 'currencyPrecisions'> & {
  readonly settings: Pick<PlatformSettings, 'reportRecords'>;
};

/** A part of a body. */
type Range = readonly [start: number, end: number];

/** Pages of this size are ordinary: with the records that a caller may ask for, less than 1 MiB. */
const LARGE_BYTES = 1024 * 1024;
/** What a body holds beside its records. */
const MAX_FRAME_BYTES = 256 * 1024;
/** Faults that a page names. */
const MAX_FAULTS = 10_000;
/** There are some two hundred. */
const MAX_CURRENCIES = 1_000;
/** Bytes of the records that are given together, unless one is longer; and between two pauses. */
const BATCH = 16 * 1024;
/** A record of the interface is some 600 bytes long. The longest may take ten milliseconds, if it holds numbers alone. */
const MAX_RECORD = 64 * 1024;
/** Document, list, record, attributes, and what an attribute may hold. */
const MAX_DEPTH = 32;

/**
 * Reads a collection envelope and writes its records as replies have them: names become camelCase, amounts keep every
 * digit.
 *
 * All of it is done in slices of the event loop, and no record is kept longer than its slice, so that a page costs its
 * bytes in memory. Large pages are read one after the other.
 *
 * @returns reads a page; given UTF-8. It throws UnexpectedDocument
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
    // The interface document does not say that an id alone tells a player's currencies and kinds of money apart.
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
    // Only behind a comma.
    else if (comma !== '') throw new UnexpectedDocument('the body is not JSON');
  }
  const meta = objectAt(readFrame(bytes, step.value)['meta'], '/meta');
  return {
    /** The records as replies have them, in JSON, with commas and without the brackets of their list; its sender takes them out. */
    written,
    /** Whether it is so large that no other one should be fetched while it is kept. */
    isLarge: bytes.length > LARGE_BYTES,
    /** What tells each record from all others of its report. */
    identities,
    /** The CRC-32 of each record, which tells whether one that comes again is the same. */
    digests,
    /** The decimals of each currency on the page, `null` if they are not configured. */
    precisions: Object.fromEntries(currencies),
    /** What is wrong with records that were passed on as they are, up to some thousands; absent if nothing is. */
    ...(faultCount > 0 && { faults }),
    /** How many there are, also beyond those. */
    faultCount,
    totalCount: countAt(meta, 'total-count'),
    pageCount: countAt(meta, 'page-count'),
    currentPage: countAt(meta, 'current-page'),
    perPage: countAt(meta, 'per-page'),
  };
}

const [QUOTE, BACKSLASH, COMMA, OPENING, CLOSING] = Buffer.from('"\\,{}');
/** A brace is its bracket with one bit more. */
const BRACE_BIT = 0x20;
/** The beginning of the list of records, and the most bytes that it takes. */
const DATA = /^"data"[ \n\r\t]*:[ \n\r\t]*(?=\[)/;
const MAX_DATA = 128;

/**
 * Finds the records of a collection in its bytes by quotation marks and brackets alone; whether it is JSON shows when the
 * ranges are parsed. Each step looks at some 16 KiB, whatever they hold, so that a caller can pause between two of them.
 *
 * @yields whole records with the commas between them, or an empty range where none is complete
 * @returns where the content of the list `data` is; `undefined` if there is no such list
 * @throws UnexpectedDocument if a record is larger, or nested deeper, than any can be
 */
function* scanRecords(bytes: Buffer): Generator<Range, Range | undefined> {
  let depth = 0;
  let isInText = false;
  /** Where the list opens, once its name was found. */
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

/** What is around the records. A list that was scanned is `[0]` in it, so that a second one under its name is noticed. */
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
