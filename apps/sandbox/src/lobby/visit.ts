import type { Player } from '../archive/player.ts';
import type { Session } from '../archive/session.ts';

/** What the URL that a player opens leads to. */
export type Visit =
  /** A session that can be played; `tokenLeftMs` is not more than `sessionLeftMs`. */
  | {
      readonly state: 'open';
      readonly guest: Guest;
      readonly sessionLeftMs: number;
      readonly tokenLeftMs: number;
    }
  /** The token is too old, its session is not: open-game under the same session id gives another token. */
  | { readonly state: 'token-expired'; readonly guest: Guest; readonly sessionLeftMs: number }
  | { readonly state: 'session-expired'; readonly guest: Guest }
  /** No session has this token, or it is no longer remembered. */
  | { readonly state: 'unknown' };

/** The player of a session. */
export interface Guest {
  readonly session: Session;
  readonly player: Player | undefined;
}

/** Determines the state of a session, or that there is none. */
export function visitOf(session: Session | undefined, player: Player | undefined, nowMs: number): Visit {
  if (!session) return { state: 'unknown' };
  const guest = { session, player };
  const sessionLeftMs = session.expiresAtMs - nowMs;
  if (sessionLeftMs <= 0) return { state: 'session-expired', guest };
  const tokenLeftMs = session.authExpiresAtMs - nowMs;
  if (tokenLeftMs <= 0) return { state: 'token-expired', guest, sessionLeftMs };
  return { state: 'open', guest, sessionLeftMs, tokenLeftMs: Math.min(tokenLeftMs, sessionLeftMs) };
}
