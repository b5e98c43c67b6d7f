import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { exactJson } from '../json-api/exact-json.ts';
import type { Player } from './player.ts';
import type { Session } from './session.ts';
import { parseJson } from '../signature/parse-json.ts';
import { Archive } from './archive.ts';

// distinguishes the file from other programs' databases; the letters of "PKSB"
const APPLICATION_ID = 0x504b5342;
const SCHEMA_VERSION = 1;
const FORGET_INTERVAL_MS = 60_000;

const SCHEMA = `
  CREATE TABLE player (client_id TEXT, user_id TEXT, json TEXT NOT NULL, PRIMARY KEY (client_id, user_id));
  CREATE TABLE session (
    client_id TEXT, session_id TEXT, expires_at_ms INTEGER NOT NULL, json TEXT NOT NULL, PRIMARY KEY (client_id, session_id)
  );
  CREATE INDEX session_expiry ON session (expires_at_ms);
  PRAGMA application_id = ${APPLICATION_ID};
  PRAGMA user_version = ${SCHEMA_VERSION};
`;

/**
 * Keeps everything in one SQLite file, which it locks while it is open. What was saved survives the end of the
 * process, however it ends; a crash of the machine may lose the last moments.
 */
export class SqliteArchive extends Archive {
  private readonly insertPlayer: StatementSync;
  private readonly insertSession: StatementSync;
  private readonly deleteSessions: StatementSync;
  private forgotAtMs = 0;

  /** @throws Error if another sandbox uses the file, or it is something else */
  constructor(private readonly database: DatabaseSync) {
    super();
    database.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;');
    database.exec('BEGIN EXCLUSIVE');
    if (isNew(database)) database.exec(SCHEMA);
    else if (!isOurs(database)) throw new Error('is not a file of this version of the sandbox');
    database.exec('COMMIT');
    this.insertPlayer = database.prepare('INSERT OR REPLACE INTO player VALUES (?, ?, ?)');
    this.insertSession = database.prepare('INSERT OR REPLACE INTO session VALUES (?, ?, ?, ?)');
    this.deleteSessions = database.prepare('DELETE FROM session WHERE expires_at_ms <= ?');
  }

  players(): Iterable<Player> {
    return this.read<Player>('SELECT json FROM player');
  }

  sessions(): Iterable<Session> {
    return this.read<Session>('SELECT json FROM session ORDER BY expires_at_ms');
  }

  savePlayer(player: Player): void {
    this.insertPlayer.run(player.clientId, player.userId, exactJson(player));
  }

  saveSession(session: Session): void {
    this.insertSession.run(session.clientId, session.sessionId, session.expiresAtMs, exactJson(session));
  }

  forgetSessions(untilMs: number): void {
    if (untilMs - this.forgotAtMs < FORGET_INTERVAL_MS) return;
    this.forgotAtMs = untilMs;
    this.deleteSessions.run(untilMs);
  }

  clear(): void {
    this.database.exec('BEGIN; DELETE FROM player; DELETE FROM session; COMMIT');
  }

  close(): void {
    this.database.close();
  }

  private *read<T>(query: string): Iterable<T> {
    for (const row of this.database.prepare(query).iterate())
      yield parseJson(String(row['json']))?.value as T;
  }
}

function isNew(database: DatabaseSync): boolean {
  return database.prepare('SELECT count(*) AS tables FROM sqlite_schema').get()?.['tables'] === 0;
}

function isOurs(database: DatabaseSync): boolean {
  return (
    database.prepare('PRAGMA application_id').get()?.['application_id'] === APPLICATION_ID &&
    database.prepare('PRAGMA user_version').get()?.['user_version'] === SCHEMA_VERSION
  );
}
