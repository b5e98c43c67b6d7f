import { sessionOf } from '../platform/session-of.ts';
import type { Workload } from './workload.ts';

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
