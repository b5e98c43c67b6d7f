import type { Player } from './player.ts';
import type { Session } from './session.ts';

/** Persists players and sessions. They are served from memory; each change is saved here first. */
export abstract class Archive {
  abstract players(): Iterable<Player>;
  /** Those that expire first come first. */
  abstract sessions(): Iterable<Session>;
  abstract savePlayer(player: Player): void;
  abstract saveSession(session: Session): void;
  /** Allows the archive to delete every session that expires up to this moment, now or later. */
  abstract forgetSessions(untilMs: number): void;
  abstract clear(): void;
  abstract close(): void;
}

/** Keeps nothing: the sandbox is new at each start. */
export class NoArchive extends Archive {
  players(): Iterable<Player> {
    return [];
  }

  sessions(): Iterable<Session> {
    return [];
  }

  savePlayer(): void {}
  saveSession(): void {}
  forgetSessions(): void {}
  clear(): void {}
  close(): void {}
}
