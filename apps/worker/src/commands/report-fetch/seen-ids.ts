/** Above this number, only a sample of the ids is remembered. The table then takes 24 MB. */
export const MAX_IDS = 2_097_152;
/** Extra slots, because a report may grow while it is being read. */
const ROOM = 1_000;
/** The maximum load factor of the hash table. In a fuller table, finding a free slot takes longer. */
const LOAD = 0.8;
const TWO_TO_32 = 2 ** 32;

/**
 * Detects repeated record ids in a report. The table stores 40 bits of each id's hash, and 21 more bits
 * determine the slot. With two million ids, a collision occurs in one of 200,000 reports. Each id is stored
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
   * @param expected expected number of ids, if known
   * @param seed seed of the hash; with another seed, a second read of the report does not repeat the same
   *   collision
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
   * Adds an id. Returns `repeated` if it was added before with the same digest, `changed` if with another
   * digest, and otherwise `new`. Ids outside the sample are always `new`.
   *
   * @param digest 32-bit digest of the record with this id
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
    // A slot that contains 0 is free.
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
