import type { GameOpen, SessionCreate, SessionCreated } from '#contracts';

import type { OperatorCredentials, PlatformSettings } from '../platform-settings.ts';
import { integerText, type JsonObject, resourceIn, textAt, UnexpectedDocument } from './document.ts';

type UrlRules = Pick<PlatformSettings, 'urlSchemes' | 'urlHosts'>;

const ATTRIBUTES = '/data/attributes';
const MAX_BYTES = 8 * 1024;
/** Control characters, lone surrogates, and those that turn the direction of a text, so that it reads as another one. */
const DECEPTIVE = /[\p{Cc}\p{Cs}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u;

/** Reads a Session resource, of the player that was asked for unless the settings say otherwise. @throws UnexpectedDocument */
export function readSession(
  body: Buffer,
  { baseUrl, settings }: OperatorCredentials,
  { userId }: SessionCreate,
): SessionCreated {
  const { data, attributes } = resourceIn(body, 'session');
  playerTextAt(data, 'id', undefined, '/data');
  const platformUserId = idAt(attributes, 'user-id', userId);
  if (settings.sessionUserId === 'same' && platformUserId !== userId) {
    throw new UnexpectedDocument(
      `${ATTRIBUTES}/user-id is another player than the one asked for; ` +
        'if the platform gives its players ids of its own, SESSION_USER_ID=any accepts them',
    );
  }
  return {
    userId,
    ...(platformUserId !== userId && { platformUserId }),
    sessionId: idAt(attributes, 'session-id'),
    auth: playerTextAt(attributes, 'auth'),
    redirectUrl: playerUrlAt(attributes, 'redirect-url', baseUrl, settings),
  };
}

/** Reads a GameSession resource, of the player that was asked for. @throws UnexpectedDocument */
export function readGame(body: Buffer, { apiUrl, settings }: OperatorCredentials, { player }: GameOpen) {
  const { data, attributes } = resourceIn(body, 'GameSession');
  // The interface document calls it the external player ID, which is the operator's.
  if (idAt(attributes, 'playerId', player.id) !== player.id) {
    throw new UnexpectedDocument(`${ATTRIBUTES}/playerId is another player than the one asked for`);
  }
  return {
    id: playerTextAt(data, 'id', undefined, '/data'),
    playerId: player.id,
    sessionId: idAt(attributes, 'sessionId'),
    auth: playerTextAt(attributes, 'auth'),
    url: playerUrlAt(attributes, 'url', apiUrl, settings),
  };
}

/** The interface document does not say that an id is a text: an integer counts as its digits. @throws UnexpectedDocument */
function idAt(attributes: JsonObject, name: string, asked?: string): string {
  return integerText(attributes[name]) ?? playerTextAt(attributes, name, asked);
}

/**
 * @param asked a text of the command, which may hold any characters
 * @throws UnexpectedDocument unless the member is this text, or another one that can be shown to a player
 */
function playerTextAt(object: JsonObject, name: string, asked?: string, where = ATTRIBUTES): string {
  const text = textAt(object, name, where);
  const isLong = Buffer.byteLength(text) > MAX_BYTES;
  if (!isLong && (text === asked || !DECEPTIVE.test(text))) return text;
  const what = isLong ? 'is longer than 8 KiB' : 'holds control or direction characters, or a lone surrogate';
  throw new UnexpectedDocument(`${where}/${name} ${what}`);
}

/**
 * @param root the address of the platform: one without TLS may send its players there, too
 * @throws UnexpectedDocument unless the member is an address that a player may be sent to
 */
function playerUrlAt(
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
