import { UnexpectedDocument } from './document.ts';

/** A part of a body: its first byte, and the one behind its last. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** Bytes of the records that are given together, unless one is longer; and between two pauses. */
const BATCH = 16 * 1024;
/** A record of the interface is some 600 bytes long. The longest may take ten milliseconds, if it holds numbers alone. */
const MAX_RECORD = 64 * 1024;
/** Document, list, record, attributes, and what an attribute may hold. */
const MAX_DEPTH = 32;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
/** A brace is its bracket with one bit more. */
const BRACE_BIT = 0x20;
const OPENING = 0x7b;
const CLOSING = 0x7d;
const LIST = 0x5b;
const SPACES: ReadonlySet<number | undefined> = new Set([0x20, 0x0a, 0x0d, 0x09]);
const DATA = Buffer.from('"data"');

/**
 * Finds the records of a collection in its bytes by quotation marks and brackets alone; whether it is JSON shows when the
 * ranges are parsed. Each step looks at some 16 KiB, whatever they hold, so that a caller can pause between two of them.
 *
 * @yields whole records with the commas between them, or an empty range where none is complete
 * @returns where the content of the list `data` is; `undefined` if there is no such list
 * @throws UnexpectedDocument if a record is larger, or nested deeper, than any can be
 */
export function* scanRecords(bytes: Uint8Array): Generator<Range, Range | undefined> {
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
      yield { start: at, end: at };
    }
    const byte = bytes[at] as number;
    if (isInText) {
      if (byte === QUOTE) isInText = false;
      else if (byte === BACKSLASH) at += 1;
    } else if (byte === QUOTE) {
      isInText = true;
      if (depth === 1 && listAt === -1) listAt = dataListAt(bytes, at);
    } else if ((byte | BRACE_BIT) === OPENING) {
      depth += 1;
      if (depth > MAX_DEPTH) throw new UnexpectedDocument('the body is nested too deep');
      if (at === listAt) start = at + 1;
    } else if ((byte | BRACE_BIT) === CLOSING) {
      depth -= 1;
      if (depth === 1 && start !== -1) {
        yield { start, end: at };
        return { start: listAt + 1, end: at };
      }
    } else if (byte === COMMA && depth === 2 && start !== -1 && at - start >= BATCH) {
      yield { start, end: at };
      start = at + 1;
      pauseAt = start + BATCH;
    }
  }
  return undefined;
}

/** Where the list `data` opens if its name begins at this quotation mark, else -1. */
function dataListAt(bytes: Uint8Array, quote: number): number {
  if (DATA.some((byte, index) => bytes[quote + index] !== byte)) return -1;
  const colon = skipSpaces(bytes, quote + DATA.length);
  const value = skipSpaces(bytes, colon + 1);
  return bytes[colon] === COLON && bytes[value] === LIST ? value : -1;
}

function skipSpaces(bytes: Uint8Array, from: number): number {
  let at = from;
  while (SPACES.has(bytes[at])) at += 1;
  return at;
}
