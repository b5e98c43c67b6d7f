/** What became of the commands that were sent. All but `right` of those that are answered is a fault. */
export interface Tally {
  readonly sent: number;
  /** Commands whose first final answer was theirs. */
  readonly right: number;
  /** Commands whose first final answer was an error or another command's. */
  readonly wrong: number;
  /** Final answers beyond the first. */
  readonly double: number;
  /** Answers to what was never sent. */
  readonly stray: number;
  /** Commands without a final answer so far. */
  readonly missing: number;
}

/** Holds the answers against the commands: each is to get exactly one, and the right one. */
export class Ledger {
  readonly #isAnswered: boolean[] = [];
  readonly #counts = { right: 0, wrong: 0, double: 0, stray: 0 };

  /** @returns the number of the command that is sent next */
  next(): number {
    return this.#isAnswered.push(false) - 1;
  }

  /** @returns whether it was the first answer to this command */
  answered(sequence: number, isRight: boolean): boolean {
    const isAnswered = this.#isAnswered[sequence];
    if (isAnswered === undefined) this.#counts.stray += 1;
    else if (isAnswered) this.#counts.double += 1;
    else {
      this.#isAnswered[sequence] = true;
      this.#counts[isRight ? 'right' : 'wrong'] += 1;
      return true;
    }
    return false;
  }

  get missing(): number {
    return this.#isAnswered.length - this.#counts.right - this.#counts.wrong;
  }

  get tally(): Tally {
    return { sent: this.#isAnswered.length, ...this.#counts, missing: this.missing };
  }
}

/** Whether each command got exactly one answer, the right one. */
export function isFaultless({ sent, right, double, stray }: Tally): boolean {
  return right === sent && double === 0 && stray === 0;
}
