/** A value that stands in a text: its first unit, and the one behind its last. */
export type Place = readonly [start: number, end: number];

const SHORT = 3;
const LETTER_OR_DIGIT = /^[\p{L}\p{N}]$/u;
const UNITS = 0x1_00_00;
const ASCII = /^[\0-\x7f]*$/;

/**
 * Finds many values in a text in one pass (Aho and Corasick), in any letter case; a plus is a space, as in a form. A
 * value shorter than three characters is found only if it stands alone, so that an id of `7` does not redact a part of
 * every year.
 */
export class ValueFinder {
  /** By state and unit. */
  readonly #next = new Map<number, number>();
  /** Of each state: the state of the longest proper suffix that begins a value. */
  readonly #fallback: number[] = [0];
  /** Of each state: the length of the longest value that ends there, and of those that may have to stand alone. */
  readonly #lengths: (readonly number[])[] = [[]];

  constructor(values: Iterable<string>) {
    const children: [state: number, unit: number, child: number][] = [];
    for (const value of values) this.#add(fold(value), children);
    // A state is made after its parent, but the suffix of a deep one may be younger: by depth, then.
    for (const [state, unit, child] of byDepth(children)) this.#link(state, unit, child);
  }

  find(text: string): readonly Place[] {
    const places: Place[] = [];
    const folded = fold(text);
    let state = 0;
    for (let index = 0; index < folded.length; index += 1) {
      state = this.#step(state, folded.charCodeAt(index));
      for (const length of this.#lengths[state] as readonly number[]) {
        const start = index + 1 - length;
        if (length >= SHORT || standsAlone(text, start, index + 1)) places.push([start, index + 1]);
      }
    }
    return places;
  }

  #add(value: string, children: [number, number, number][]): void {
    let state = 0;
    for (let index = 0; index < value.length; index += 1) {
      const unit = value.charCodeAt(index);
      let child = this.#next.get(state * UNITS + unit);
      if (child === undefined) {
        child = this.#lengths.push([]) - 1;
        this.#next.set(state * UNITS + unit, child);
        children.push([state, unit, child]);
      }
      state = child;
    }
    if (state !== 0) this.#lengths[state] = [value.length];
  }

  #link(state: number, unit: number, child: number): void {
    const suffix = state === 0 ? 0 : this.#step(this.#fallback[state] as number, unit);
    this.#fallback[child] = suffix;
    const [own] = this.#lengths[child] as readonly number[];
    const inSuffix = this.#lengths[suffix] as readonly number[];
    this.#lengths[child] =
      own === undefined ? inSuffix : [own, ...inSuffix.filter((length) => length < SHORT)];
  }

  #step(from: number, unit: number): number {
    let state = from;
    for (;;) {
      const next = this.#next.get(state * UNITS + unit);
      if (next !== undefined) return next;
      if (state === 0) return 0;
      state = this.#fallback[state] as number;
    }
  }
}

function byDepth(
  children: readonly [state: number, unit: number, child: number][],
): readonly (readonly [number, number, number])[] {
  const depths = [0];
  for (const [state, , child] of children) depths[child] = (depths[state] as number) + 1;
  return children.toSorted(([, , a], [, , b]) => (depths[a] as number) - (depths[b] as number));
}

/** Without a change of length, so that places stay what they are. */
function fold(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase().replaceAll('+', ' ');
  let folded = '';
  for (const character of text) folded += character === '+' ? ' ' : foldOne(character);
  return folded;
}

/** One character for all its letter cases that are as long as it is. */
function foldOne(character: string): string {
  const { length } = character;
  // By way of the upper case, since several small letters may share one.
  const folded = character.toUpperCase().toLowerCase();
  if (folded.length === length) return folded;
  const small = character.toLowerCase();
  return small.length === length ? small : character;
}

function standsAlone(text: string, start: number, end: number): boolean {
  return ![text.charAt(start - 1), text.charAt(end)].some((neighbour) => LETTER_OR_DIGIT.test(neighbour));
}
