import { exactJson } from '../json-api/exact-json.ts';
import type { Session } from '../archive/session.ts';

/** The URL that opens a session's lobby or table, with the token, the language and the launch options in its query. */
export function launchUrl(origin: string, session: Session): string {
  const { auth, lang, tableId, launchOptions } = session;
  const url = new URL(tableId === undefined ? '/lobby' : `/table/${tableId}`, origin);
  url.searchParams.set('auth', auth);
  url.searchParams.set('lang', lang);
  if (launchOptions !== undefined) url.searchParams.set('launchOptions', asText(launchOptions));
  return url.href;
}

function asText(launchOptions: unknown): string {
  return typeof launchOptions === 'string' ? launchOptions : exactJson(launchOptions);
}
