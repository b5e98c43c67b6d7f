import { randomBytes, randomUUID } from 'node:crypto';

import { asText, PlatformError } from '../interface/documents.ts';
import { isObject } from '../interface/members.ts';
import { keyOf } from '../players/players.ts';
import type { Settings } from '../settings/settings.ts';
import { parseJson } from '../signature/php-json.ts';

/** The interface's authorization types, the default first. */
export const AUTH_TYPES = ['external', 'internal'] as const;

export interface SessionRequest {
  readonly clientId: string;
  readonly userId: string;
  readonly authType: (typeof AUTH_TYPES)[number];
  readonly lang: string;
  /** If absent, the session opens the lobby. */
  readonly tableId?: number | undefined;
  readonly launchOptions?: unknown;
}

/** A player's session, which opens the lobby or a table. */
export interface Session extends SessionRequest {
  readonly sessionId: string;
  /** The short-lived authorization token. */
  readonly auth: string;
  readonly createdAtMs: number;
  readonly authExpiresAtMs: number;
  readonly expiresAtMs: number;
}

/** The maximum number of open sessions. If it is exceeded, the session that expires first ends early. */
const MAX_SESSIONS = 100_000;
/** The number of expired sessions that are remembered, for players who return to their URL. */
const REMEMBERED_SESSIONS = 1000;

/** The open sessions, and the most recently expired ones. */
export class Sessions {
  // all sessions have the same lifetime, so this order is also their order of expiry
  private readonly byKey = new Map<string, Session>();
  /** Sessions by token, including remembered expired sessions. */
  private readonly byAuth = new Map<string, Session>();
  private expiredAuths: string[] = [];

  constructor(
    private readonly lifetimes: Pick<Settings, 'sessionLifetimeMs' | 'tokenLifetimeMs'>,
    private readonly nowMs: () => number,
  ) {}

  all(): readonly Session[] {
    this.forgetExpired();
    return [...this.byKey.values()];
  }

  /** Returns the session of a token, including the last 1000 expired sessions. */
  findByAuth(auth: string): Session | undefined {
    this.forgetExpired();
    return this.byAuth.get(auth);
  }

  /**
   * Opens a session. If `sessionId` is already open, the session is reused: it keeps its token while that is
   * valid, and its members are replaced by those of the latest request.
   * @throws PlatformError 422 if the session belongs to another player
   */
  open(request: SessionRequest, sessionId: string = randomUUID()): Session {
    this.forgetExpired();
    const known = this.byKey.get(keyOf(request.clientId, sessionId));
    if (known && known.userId !== request.userId) {
      const detail = "The session id is another player's";
      throw new PlatformError(422, { detail, pointer: '/data/attributes/session/id' });
    }

    const nowMs = this.nowMs();
    const isTokenValid = known !== undefined && known.authExpiresAtMs > nowMs;
    const session: Session = {
      ...request,
      sessionId,
      auth: isTokenValid ? known.auth : randomBytes(24).toString('base64url'),
      createdAtMs: known?.createdAtMs ?? nowMs,
      authExpiresAtMs: isTokenValid ? known.authExpiresAtMs : nowMs + this.lifetimes.tokenLifetimeMs,
      expiresAtMs: known?.expiresAtMs ?? nowMs + this.lifetimes.sessionLifetimeMs,
    };
    if (known && !isTokenValid) this.byAuth.delete(known.auth);
    this.byKey.set(keyOf(session.clientId, sessionId), session);
    this.byAuth.set(session.auth, session);
    const [first] = this.byKey;
    if (this.byKey.size > MAX_SESSIONS && first) this.end(...first);
    return session;
  }

  clear(): void {
    this.byKey.clear();
    this.byAuth.clear();
    this.expiredAuths = [];
  }

  private forgetExpired(): void {
    const nowMs = this.nowMs();
    for (const [key, session] of this.byKey) {
      if (session.expiresAtMs > nowMs) break;
      this.end(key, session);
    }
  }

  private end(key: string, { auth }: Session): void {
    this.byKey.delete(key);
    if (this.expiredAuths.push(auth) > REMEMBERED_SESSIONS)
      this.byAuth.delete(this.expiredAuths.shift() ?? '');
  }
}

/** Returns the launch options from an object or a string that contains one; undefined for any other value. */
export function optionsIn(launchOptions: unknown): Readonly<Record<string, unknown>> | undefined {
  const value = typeof launchOptions === 'string' ? parseJson(launchOptions) : launchOptions;
  return isObject(value) ? value : undefined;
}

/**
 * Returns the URL that opens a session's lobby or table, with the token, the language and the launch options
 * in its query.
 */
export function launchUrl(origin: string, session: Session): string {
  const { auth, lang, tableId, launchOptions } = session;
  const url = new URL(tableId === undefined ? '/lobby' : `/table/${tableId}`, origin);
  url.searchParams.set('auth', auth);
  url.searchParams.set('lang', lang);
  if (launchOptions !== undefined) url.searchParams.set('launchOptions', asText(launchOptions));
  return url.href;
}
