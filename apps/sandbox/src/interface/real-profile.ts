import { STATUS_CODES, type OutgoingHttpHeaders } from 'node:http';
import { crc32 } from 'node:zlib';

import { DETAILS, type ErrorParts, errorDocument, type Operation } from './documents.ts';

/**
 * The behavior of the sandbox: that of the interface document, or that of the real platform as public clients
 * show it.
 */
export const PROFILES = ['document', 'real'] as const;
export type Profile = (typeof PROFILES)[number];

/** The largest page of the real platform, whatever is requested. */
export const REAL_PER_PAGE_MAXIMUM = 50;
const GENERATED_PLAYER = /^player-0*(\d+)$/;
/** Larger than the ids of all generated players. */
const FIRST_OTHER_ID = 1_000_000_000;
const DEFAULT_RESET_S = '1';

/** Returns the body of an error: of v3 `{title, description}`, of v2 entries with a status as text. */
export function errorBody(
  profile: Profile,
  operation: Operation | undefined,
  status: number,
  parts: ErrorParts,
) {
  if (profile === 'document') return errorDocument(status, parts);
  const { pointer, detail: given } = parts;
  const detail =
    status === 400 && given?.startsWith('Not ') ? 'Not valid request' : (given ?? DETAILS[status]);
  const names = pointer?.split('/').slice(1);
  if (operation === 'open-game') {
    const member = names ? `${names.slice(2).join('.')}: ` : '';
    return { title: 'An error occurred', description: `${member}${detail ?? STATUS_CODES[status]}` };
  }
  const place = names ? { source: { pointer: names.join('/') } } : { title: STATUS_CODES[status] };
  return { errors: [{ status: String(status), ...place, detail: detail ?? STATUS_CODES[status] }] };
}

/**
 * Returns the headers that tell the client of a refused request when to retry.
 *
 * @param wait seconds, or a date
 */
export function waitHeaders(profile: Profile, status: number, wait: string | undefined): OutgoingHttpHeaders {
  if (profile === 'document' || status !== 429) return wait === undefined ? {} : { 'retry-after': wait };
  const reset = wait ?? DEFAULT_RESET_S;
  return { 'x-rate-limit-limit': '10', 'x-rate-limit-remaining': '0', 'x-rate-limit-reset': reset };
}

/** Returns the platform's own id of a player. */
export function ownUserId(userId: string): number {
  const generated = GENERATED_PLAYER.exec(userId)?.[1];
  return generated === undefined ? FIRST_OTHER_ID + crc32(userId) : Number(generated);
}

/** Returns the platform's key of a currency, which differs for real money and play money. */
export function currencyKey(currencies: readonly string[], currency: string, isRealMoney: boolean): number {
  return 80 + 10 * Math.max(0, currencies.indexOf(currency)) + (isRealMoney ? 2 : 0);
}
