import { v5 } from 'uuid';

import type { GameOpen } from '#contracts';

import type { PlatformSettings } from '../platform-settings.ts';

/** UUID namespace of the session ids derived by this service. */
const NAMESPACE = '6f1c2d0e-0f43-5c1b-9b0e-3f6a7d1f4c52';

/** The identity of a command. */
export interface CommandIdentity {
  readonly caller: string;
  readonly operator: string;
  readonly id: string;
}

/**
 * Returns the game with a session id derived from its command, if it has none and `SESSION_ID` enables this.
 */
export function withSessionId(
  game: GameOpen,
  identity: CommandIdentity,
  { sessionId }: Pick<PlatformSettings, 'sessionId'>,
): GameOpen {
  const { player, session } = game;
  if (session?.id !== undefined || sessionId === 'omit') return game;
  return { player, session: { ...session, id: sessionIdOf(identity) } };
}

/**
 * Returns the session id for a game opened without one, so that a repeated command opens the same session.
 */
export function sessionIdOf({ caller, operator, id }: CommandIdentity): string {
  return v5(JSON.stringify([caller, operator, id]), NAMESPACE);
}
