export type AuthType = 'external' | 'internal';

/** A player's session, which opens the lobby or a table. */
export interface Session {
  readonly sessionId: string;
  /** The short-lived authorization token. */
  readonly auth: string;
  readonly clientId: string;
  readonly userId: string;
  readonly authType: AuthType;
  readonly lang: string;
  /** Absent: the lobby. */
  readonly tableId?: number;
  readonly launchOptions?: unknown;
  readonly createdAtMs: number;
  readonly authExpiresAtMs: number;
  readonly expiresAtMs: number;
}

/** A request for a session. */
export type SessionRequest = Omit<
  Session,
  'sessionId' | 'auth' | 'createdAtMs' | 'authExpiresAtMs' | 'expiresAtMs'
>;

/** Whether a value is one of the interface's authorization types. */
export function isAuthType(value: unknown): value is AuthType {
  return value === 'external' || value === 'internal';
}
