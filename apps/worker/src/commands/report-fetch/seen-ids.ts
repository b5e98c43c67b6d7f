/** Beyond it, only a sample of the ids is remembered: 24 MB. */
export const MAX_IDS = 2_097_152;
/** A report may grow while it is read. */
const ROOM = 1_000;
/** The share of slots that are filled at most: in a fuller table, a free slot takes longer to find. */
const LOAD = 0.8;
const TWO_TO_32 = 2 ** 32;

/**
 * Remembers the ids of a report's records, to notice those that come twice: 40 bits of a hash of each, at a place that
 * 21 more tell, so that of two million ids one is taken for another in one of 200,000 reports. Each id is kept
 * with the digest of its first record.
 */
export class SeenIds {
  readonly #seed: number;
  /** An id is in the sample if its hash has none of these bits. */
  readonly #sample: number;
  readonly #most: number;
  readonly #low: Uint32Array;
  readonly #high: Uint8Array;
  readonly #digests: Int32Array;
  #count = 0;

  /**
   * @param expected how many there will be, as far as that is known
   * @param seed of the hash: who reads a report again does not meet the same mistake again
   */
  constructor(expected: number, seed: number) {
    this.#seed = seed;
    const sharesOf = Math.max(0, Math.ceil(Math.log2(expected / MAX_IDS)));
    this.#sample = (2 ** sharesOf - 1) << 8;
    this.#most = Math.min(expected, MAX_IDS) + ROOM;
    const slots = Math.ceil(this.#most / LOAD);
    this.#low = new Uint32Array(slots);
    this.#high = new Uint8Array(slots);
    this.#digests = new Int32Array(slots);
  }

  /**
   * Whether an id was added before, and with another digest then; of one outside of the sample that is not known, and `new`.
   *
   * @param digest 32 bits of what belongs to the id
   */
  add(id: string, digest: number): 'new' | 'repeated' | 'changed' {
    let [first, second] = [0xdeadbeef ^ this.#seed, 0x41c6ce57 ^ this.#seed];
    for (let index = 0; index < id.length; index += 1) {
      const unit = id.charCodeAt(index);
      first = Math.imul(first ^ unit, 2_654_435_761);
      second = Math.imul(second ^ unit, 1_597_334_677);
    }
    first =
      Math.imul(first ^ (first >>> 16), 2_246_822_507) ^ Math.imul(second ^ (second >>> 13), 3_266_489_909);
    second =
      Math.imul(second ^ (second >>> 16), 2_246_822_507) ^ Math.imul(first ^ (first >>> 13), 3_266_489_909);
    if ((first & this.#sample) !== 0) return 'new';
    // A slot that holds 0 is free.
    const [low, high] = [second >>> 0 || 1, first & 0xff];
    let slot = Math.floor(((first >>> 0) / TWO_TO_32) * this.#low.length);
    for (; this.#low[slot] !== 0; slot = slot + 1 === this.#low.length ? 0 : slot + 1) {
      if (this.#low[slot] === low && this.#high[slot] === high)
        return this.#digests[slot] === (digest | 0) ? 'repeated' : 'changed';
    }
    if (this.#count === this.#most) return 'new';
    this.#count += 1;
    this.#low[slot] = low;
    this.#high[slot] = high;
    this.#digests[slot] = digest;
    return 'new';
  }
}
