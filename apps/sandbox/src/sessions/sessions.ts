import { randomBytes, randomUUID } from 'node:crypto';
import type { Archive } from '../archive/archive.ts';
import { PlatformError } from '../json-api/platform-error.ts';
import type { Session, SessionRequest } from '../archive/session.ts';

/** The most sessions at once; beyond it, the one that expires first ends early. */
const MAX_SESSIONS = 100_000;
/** How many expired sessions are remembered, for players who return to their URL. */
const REMEMBERED_SESSIONS = 1000;

/** How long a session and its authorization token live. */
export interface Lifetimes {
  readonly sessionLifetimeMs: number;
  readonly tokenLifetimeMs: number;
}

/** The sessions that have not expired, and the last of those that have. */
export class Sessions {
  // sessions live equally long, so they are in the order in which they expire (of those that an archive kept from
  // before another lifetime was set, some may only stay longer in memory)
  private readonly byKey = new Map<string, Session>();
  private readonly byAuth = new Map<string, Session>();
  private readonly expiredByAuth = new Map<string, Session>();

  constructor(
    private readonly lifetimes: Lifetimes,
    private readonly nowMs: () => number,
    private readonly archive: Archive,
  ) {
    for (const session of archive.sessions()) this.keep(session);
  }

  get count(): number {
    this.forgetExpired();
    return this.byKey.size;
  }

  /** The last sessions that were opened and have not expired, the newest first. */
  newest(count: number): readonly Session[] {
    this.forgetExpired();
    return [...this.byKey.values()].slice(-count).reverse();
  }

  /** The session of a token, also of one that has expired while its session has not. */
  findByAuth(auth: string): Session | undefined {
    this.forgetExpired();
    return this.alive(this.byAuth.get(auth));
  }

  /** The expired session of a token, while it is among the last 1000 that expired. */
  findExpiredByAuth(auth: string): Session | undefined {
    this.forgetExpired();
    return this.expiredByAuth.get(auth);
  }

  /**
   * Opens a session. If `sessionId` is open already, it is the same session: it keeps its token while that is valid,
   * and takes over the members of the latest request.
   * @throws PlatformError 422 if the session belongs to another player
   */
  open(request: SessionRequest, sessionId: string = randomUUID()): Session {
    this.forgetExpired();
    const known = this.alive(this.byKey.get(keyOf(request.clientId, sessionId)));
    if (known && known.userId !== request.userId)
      throw new PlatformError(422, {
        detail: "The session id is another player's",
        pointer: '/data/attributes/session/id',
      });

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
    this.archive.saveSession(session);
    this.keep(session);
    return session;
  }

  clear(): void {
    this.byKey.clear();
    this.byAuth.clear();
    this.expiredByAuth.clear();
  }

  private keep(session: Session): void {
    this.byKey.set(keyOf(session.clientId, session.sessionId), session);
    this.byAuth.set(session.auth, session);
    const [first] = this.byKey;
    if (this.byKey.size > MAX_SESSIONS && first) this.end(...first);
  }

  private alive(session: Session | undefined): Session | undefined {
    return session && session.expiresAtMs > this.nowMs() ? session : undefined;
  }

  private forgetExpired(): void {
    const nowMs = this.nowMs();
    this.archive.forgetSessions(nowMs);
    for (const [key, session] of this.byKey) {
      if (session.expiresAtMs > nowMs) break;
      this.end(key, session);
    }
  }

  private end(key: string, session: Session): void {
    this.byKey.delete(key);
    this.byAuth.delete(session.auth);
    this.remember(session);
  }

  private remember(session: Session): void {
    this.expiredByAuth.set(session.auth, session);
    if (this.expiredByAuth.size <= REMEMBERED_SESSIONS) return;
    const [oldest = ''] = this.expiredByAuth.keys();
    this.expiredByAuth.delete(oldest);
  }
}

function keyOf(clientId: string, sessionId: string): string {
  return JSON.stringify([clientId, sessionId]);
}
