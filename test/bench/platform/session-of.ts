/** What the bench's platform answers for a player: of each another session, so that answers that were swapped are seen. */
export function sessionOf(userId: string): SessionAttributes {
  return {
    'user-id': userId,
    'session-id': `session-${userId}`,
    auth: `auth-${userId}`,
    'redirect-url': `https://lobby.example/?auth=auth-${userId}&lang=en`,
  };
}

export interface SessionAttributes {
  readonly 'user-id': string;
  readonly 'session-id': string;
  readonly auth: string;
  readonly 'redirect-url': string;
}

/** Records of each report. */
export const REPORT_RECORDS = 50;
