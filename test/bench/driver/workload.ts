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

  get tally(): Tally {
    const sent = this.#isAnswered.length;
    return { sent, ...this.#counts, missing: sent - this.#counts.right - this.#counts.wrong };
  }
}

/** Whether each command got exactly one answer, the right one. */
export function isFaultless({ sent, right, double, stray }: Tally): boolean {
  return right === sent && double === 0 && stray === 0;
}

/** The data of `session.create`: another player each time. */
export function sessionData(sequence: number): object {
  return { userId: playerOf(sequence), nick: `Ace ${sequence}`, lang: 'en', currency: 'EUR' };
}

/** Whether an answer has the player of that command, and the session that the platform gave him. */
export function isRightSession(sequence: number, answer: unknown): boolean {
  const expected = sessionOf(playerOf(sequence));
  const { userId, sessionId, auth, redirectUrl } = (answer ?? {}) as Record<string, unknown>;
  return (
    userId === expected['user-id'] &&
    sessionId === expected['session-id'] &&
    auth === expected.auth &&
    redirectUrl === expected['redirect-url']
  );
}

function playerOf(sequence: number): string {
  return `player-${sequence}`;
}
