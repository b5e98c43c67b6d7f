import { v5 } from 'uuid';

import type { GameOpen } from '#contracts';

import type { PlatformSettings } from '../platform-settings.ts';

/** The namespace of the ids that this service derives. */
const NAMESPACE = '6f1c2d0e-0f43-5c1b-9b0e-3f6a7d1f4c52';

/** What makes two commands the same. */
export interface CommandIdentity {
  readonly caller: string;
  readonly operator: string;
  readonly id: string;
}

/** The game with a session id derived from its command, if it has none and the settings say so (`SESSION_ID`). */
export function withSessionId(
  game: GameOpen,
  identity: CommandIdentity,
  { sessionId }: Pick<PlatformSettings, 'sessionId'>,
): GameOpen {
  const { player, session } = game;
  if (session?.id !== undefined || sessionId === 'omit') return game;
  return { player, session: { ...session, id: sessionIdOf(identity) } };
}

/** The session id of a game that was opened without one: a repeat of the command opens the same session. */
export function sessionIdOf({ caller, operator, id }: CommandIdentity): string {
  return v5(JSON.stringify([caller, operator, id]), NAMESPACE);
}
