/** Of the first chunk; each further one is as large as all before it together, up to the largest. */
const FIRST_CHUNK_BYTES = 16 * 1024;
/** Of one chunk; a longer text has a chunk of its own. */
const CHUNK_BYTES = 256 * 1024;
/** Of one chunk, at most; part of how places are numbered. */
const CHUNK_TEXTS = 4096;

/** Consecutive texts in parallel lists; `next` is the first that was not dropped. */
interface Chunk {
  readonly bytes: Buffer;
  readonly identities: string[];
  readonly ends: number[];
  readonly untilMs: number[];
  next: number;
}

/**
 * Outcomes of one caller in the order in which they were settled, as bytes outside of the heap: V8 lets a heap grow to
 * several times what is alive in it. As strings, 18,000 outcomes take 40 MiB more and 90,000 take 150 (decision 0008).
 *
 * A place is what `append` returns; it is valid until its text is dropped.
 */
export class OutcomeLog {
  readonly #chunks: Chunk[] = [];
  /** How many chunks were dropped before the first one. */
  #firstNumber = 0;
  #length = 0;
  #bytes = 0;

  /** Texts that were not dropped. */
  get length(): number {
    return this.#length;
  }

  /** Memory held by all chunks. */
  get bytes(): number {
    return this.#bytes;
  }

  append(identity: string, text: string, untilMs: number): number {
    const chunk = this.#chunkFor(Buffer.byteLength(text));
    const start = chunk.ends.at(-1) ?? 0;
    chunk.ends.push(start + chunk.bytes.write(text, start));
    chunk.untilMs.push(untilMs);
    this.#length += 1;
    const number = this.#firstNumber + this.#chunks.length - 1;
    return number * CHUNK_TEXTS + chunk.identities.push(identity) - 1;
  }

  /** @returns the text at a place, and when it expires, epoch milliseconds */
  at(place: number): { readonly text: string; readonly untilMs: number } {
    const chunk = this.#chunks[Math.floor(place / CHUNK_TEXTS) - this.#firstNumber];
    const index = place % CHUNK_TEXTS;
    const untilMs = chunk?.untilMs[index];
    if (chunk === undefined || untilMs === undefined) throw new RangeError('The outcome was dropped.');
    return { text: chunk.bytes.toString('utf8', chunk.ends[index - 1] ?? 0, chunk.ends[index]), untilMs };
  }

  /** The oldest text; `undefined` if there is none. */
  oldest(): { readonly identity: string; readonly place: number; readonly untilMs: number } | undefined {
    const [chunk] = this.#chunks;
    if (chunk === undefined) return undefined;
    const { identities, untilMs, next } = chunk;
    return {
      identity: identities[next] ?? '',
      place: this.#firstNumber * CHUNK_TEXTS + next,
      untilMs: untilMs[next] ?? 0,
    };
  }

  dropOldest(): void {
    const [chunk] = this.#chunks;
    if (chunk === undefined) return;
    chunk.next += 1;
    this.#length -= 1;
    if (chunk.next < chunk.identities.length) return;
    this.#chunks.shift();
    this.#firstNumber += 1;
    this.#bytes -= chunk.bytes.length;
  }

  #chunkFor(bytes: number): Chunk {
    const last = this.#chunks.at(-1);
    const free = last === undefined ? 0 : last.bytes.length - (last.ends.at(-1) ?? 0);
    if (last !== undefined && last.identities.length < CHUNK_TEXTS && bytes <= free) return last;
    const size = Math.max(bytes, Math.min(CHUNK_BYTES, Math.max(FIRST_CHUNK_BYTES, this.#bytes)));
    const chunk: Chunk = {
      bytes: Buffer.allocUnsafeSlow(size),
      identities: [],
      ends: [],
      untilMs: [],
      next: 0,
    };
    this.#chunks.push(chunk);
    this.#bytes += size;
    return chunk;
  }
}
