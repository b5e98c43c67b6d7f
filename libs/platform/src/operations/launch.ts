import { integerText, type JsonObject, textAt, UnexpectedDocument } from '../answers/document.ts';
import type { PlatformSettings } from '../platform-settings.ts';
import type { OperationPolicies } from './operation.ts';

/** Policies of an operation for which a player is waiting. */
export const LAUNCH = {
  priority: 'interactive',
  isRead: false,
  maxAnswerBytes: 64 * 1024,
} as const satisfies Partial<OperationPolicies>;

/** Data with a player and a currency unknown to every platform. */
export const NOBODY = 'poker-bridge-doctor';
/** According to the interface document, a platform answers this data with 422 and creates nothing. */
export const UNKNOWN_AUTH_TYPE = 'poker-bridge-unknown' as 'external';

type UrlRules = Pick<PlatformSettings, 'urlSchemes' | 'urlHosts'>;

export const ATTRIBUTES = '/data/attributes';
const MAX_BYTES = 8 * 1024;
/**
 * Control characters, lone surrogates, and direction controls, which can make a text look like another one.
 */
const DECEPTIVE = /[\p{Cc}\p{Cs}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u;

/**
 * Returns an id as text. The interface document does not require a text, so an integer becomes its digits.
 *
 * @throws UnexpectedDocument
 */
export function idAt(attributes: JsonObject, name: string, asked?: string): string {
  return integerText(attributes[name]) ?? playerTextAt(attributes, name, asked);
}

/**
 * @param asked a text of the command, which may contain any characters
 * @throws UnexpectedDocument unless the member is this text, or another text that can be shown to a player
 */
export function playerTextAt(object: JsonObject, name: string, asked?: string, where = ATTRIBUTES): string {
  const text = textAt(object, name, where);
  const isLong = Buffer.byteLength(text) > MAX_BYTES;
  if (!isLong && (text === asked || !DECEPTIVE.test(text))) return text;
  const what = isLong ? 'is longer than 8 KiB' : 'holds control or direction characters, or a lone surrogate';
  throw new UnexpectedDocument(`${where}/${name} ${what}`);
}

/**
 * @param root the platform's URL; a platform without TLS may also use launch URLs without TLS
 * @throws UnexpectedDocument unless the member is an allowed launch URL
 */
export function playerUrlAt(
  object: JsonObject,
  name: string,
  root: string,
  { urlSchemes, urlHosts }: UrlRules,
): string {
  const text = playerTextAt(object, name);
  const { protocol = '', hostname = '' } = URL.parse(text) ?? {};
  const isExpected =
    urlSchemes.includes(protocol.slice(0, -1)) || (protocol === 'http:' && root.startsWith('http:'));
  if (!isExpected) {
    const other = protocol === '' ? '' : ` but one of ${protocol.slice(0, -1)}`;
    throw new UnexpectedDocument(
      `${ATTRIBUTES}/${name} is not an ${urlSchemes.join(' or ')} URL${other}; ` +
        'if the platform opens apps, PLATFORM_URL_SCHEMES names theirs',
    );
  }
  if (!urlHosts || urlHosts.has(hostname.toLowerCase())) return text;
  throw new UnexpectedDocument(`${ATTRIBUTES}/${name} leads to a host that is not in PLATFORM_URL_HOSTS`);
}
