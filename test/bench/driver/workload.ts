import { sessionOf } from '../../support/platform-stub.ts';

/** One command as the driver sends it, whatever worker takes it. */
export interface BenchCommand {
  readonly type: string;
  readonly data: object;
  readonly headers?: Readonly<Record<string, unknown>>;
  /** The command whose identity it has, by its sequence: it is that one, sent again. */
  readonly repeats?: number;
}

/** What the driver sends, and how it knows that an answer is right. */
export interface Workload {
  /** @param sequence counts from 0; commands of different numbers have different answers */
  command(sequence: number): BenchCommand;
  isRight(sequence: number, answer: unknown): boolean;
}

/** `session.create` of another player each time; right is the answer with this player and the session that the platform gave him. */
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
