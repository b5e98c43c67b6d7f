import { sessionOf } from '../../support/platform-stub.ts';

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

/** One command as the driver sends it, whatever worker takes it. */
export interface BenchCommand {
  readonly type: string;
  readonly data: object;
}

/** What the driver sends, and how it knows that an answer is right. */
export interface Workload {
  /** @param sequence counts from 0; commands of different numbers have different answers */
  command(sequence: number): BenchCommand;
  isRight(sequence: number, answer: unknown): boolean;
}

/**
 * `session.create` of another player each time; right is the answer with this player and the
 * session that the platform gave him.
 */
export const sessionWorkload: Workload = {
  command: (sequence) => ({
    type: 'session.create',
    data: { userId: playerOf(sequence), nick: `Ace ${sequence}`, lang: 'en', currency: 'EUR' },
  }),
  isRight: (sequence, answer) => {
    const expected = sessionOf(playerOf(sequence));
    const { userId, sessionId, auth, redirectUrl } = (answer ?? {}) as Record<string, unknown>;
    return (
      userId === expected['user-id'] &&
      sessionId === expected['session-id'] &&
      auth === expected.auth &&
      redirectUrl === expected['redirect-url']
    );
  },
};

function playerOf(sequence: number): string {
  return `player-${sequence}`;
}
