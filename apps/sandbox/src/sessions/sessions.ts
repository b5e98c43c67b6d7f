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
  /** Absent: the lobby. */
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

/** The most sessions at once; beyond it, the one that expires first ends early. */
const MAX_SESSIONS = 100_000;
/** How many expired sessions are remembered, for players who return to their URL. */
const REMEMBERED_SESSIONS = 1000;

/** The sessions that have not expired, and the last of those that have. */
export class Sessions {
  // sessions live equally long, so they are in the order in which they expire
  private readonly byKey = new Map<string, Session>();
  /** Sessions by their tokens; expired ones too, while they are remembered. */
  private readonly byAuth = new Map<string, Session>();
  private expiredAuths: string[] = [];

  constructor(
    private readonly lifetimes: Pick<Settings, 'sessionLifetimeMs' | 'tokenLifetimeMs'>,
    private readonly nowMs: () => number,
  ) {}

  /** The sessions that have not expired, in the order in which they were opened. */
  all(): readonly Session[] {
    this.forgetExpired();
    return [...this.byKey.values()];
  }

  /** The session of a token; also one that has expired, while it is among the last 1000 that did. */
  findByAuth(auth: string): Session | undefined {
    this.forgetExpired();
    return this.byAuth.get(auth);
  }

  /**
   * Opens a session. If `sessionId` is open already, it is the same session: it keeps its token while that is valid,
   * and takes over the members of the latest request.
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

/** Launch options are an object, or a string that holds one; undefined for anything else. */
export function optionsIn(launchOptions: unknown): Readonly<Record<string, unknown>> | undefined {
  const value = typeof launchOptions === 'string' ? parseJson(launchOptions) : launchOptions;
  return isObject(value) ? value : undefined;
}

/** The URL that opens a session's lobby or table, with the token, the language and the launch options in its query. */
export function launchUrl(origin: string, session: Session): string {
  const { auth, lang, tableId, launchOptions } = session;
  const url = new URL(tableId === undefined ? '/lobby' : `/table/${tableId}`, origin);
  url.searchParams.set('auth', auth);
  url.searchParams.set('lang', lang);
  if (launchOptions !== undefined) url.searchParams.set('launchOptions', asText(launchOptions));
  return url.href;
}
