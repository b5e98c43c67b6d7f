import type { GameOpened, SessionCreated } from '#contracts';

import type { PlatformSettings } from '../platform-settings.ts';
import {
  attributesOf,
  isInteger,
  type JsonObject,
  objectAt,
  parseDocument,
  textAt,
  UnexpectedDocument,
} from './document.ts';

/** Where a player may be sent. */
export interface UrlRules {
  /** Whether the platform itself is reached without TLS. */
  readonly mayBeHttp: boolean;
  /** Default: any host. In lower case. */
  readonly hosts?: ReadonlySet<string> | undefined;
}

const ATTRIBUTES = '/data/attributes';
const MAX_BYTES = 8 * 1024;
/** Control characters, and those that turn the direction of a text, so that it reads as another one. */
const DECEPTIVE = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u;

/** Reads a Session resource, of the player that was asked for unless `userIds` is `any`. @throws UnexpectedDocument */
export function readSession(
  text: string,
  player: string,
  urls: UrlRules,
  userIds: PlatformSettings['sessionUserId'],
): SessionCreated {
  const data = objectAt(parseDocument(text)['data'], '/data');
  textAt(data, 'id', '/data');
  const attributes = attributesOf(data, 'session', '/data');
  const platformUserId = idAt(attributes, 'user-id', player);
  if (userIds === 'same' && platformUserId !== player) {
    throw new UnexpectedDocument(
      `${ATTRIBUTES}/user-id is another player than the one asked for; ` +
        'if the platform gives its players ids of its own, SESSION_USER_ID=any accepts them',
    );
  }
  return {
    userId: player,
    ...(platformUserId !== player && { platformUserId }),
    sessionId: idAt(attributes, 'session-id'),
    auth: playerTextAt(attributes, 'auth'),
    redirectUrl: playerUrlAt(attributes, 'redirect-url', urls),
  };
}

/** Reads a GameSession resource, of the player that was asked for. @throws UnexpectedDocument */
export function readGame(text: string, player: string, urls: UrlRules): GameOpened {
  const data = objectAt(parseDocument(text)['data'], '/data');
  const attributes = attributesOf(data, 'GameSession', '/data');
  // The interface document calls it the external player ID, which is the operator's.
  if (idAt(attributes, 'playerId', player) !== player) {
    throw new UnexpectedDocument(`${ATTRIBUTES}/playerId is another player than the one asked for`);
  }
  return {
    id: playerTextAt(data, 'id', undefined, '/data'),
    playerId: player,
    sessionId: idAt(attributes, 'sessionId'),
    auth: playerTextAt(attributes, 'auth'),
    url: playerUrlAt(attributes, 'url', urls),
  };
}

/** The interface document does not say that an id is a text: an integer counts as its digits. @throws UnexpectedDocument */
function idAt(attributes: JsonObject, name: string, asked?: string): string {
  const id = attributes[name];
  return isInteger(id) ? JSON.stringify(id) : playerTextAt(attributes, name, asked);
}

/**
 * @param asked a text of the command, which may hold any characters
 * @throws UnexpectedDocument unless the member is this text, or another one that can be shown to a player
 */
function playerTextAt(object: JsonObject, name: string, asked?: string, where = ATTRIBUTES): string {
  const text = textAt(object, name, where);
  if (Buffer.byteLength(text) > MAX_BYTES)
    throw new UnexpectedDocument(`${where}/${name} is longer than 8 KiB`);
  if (text === asked || !DECEPTIVE.test(text)) return text;
  throw new UnexpectedDocument(`${where}/${name} holds control or direction characters`);
}

/** @throws UnexpectedDocument unless the member is an address that a player may be sent to */
function playerUrlAt(attributes: JsonObject, name: string, { mayBeHttp, hosts }: UrlRules): string {
  const text = playerTextAt(attributes, name);
  const url = URL.parse(text);
  const isExpected = url?.protocol === 'https:' || (url?.protocol === 'http:' && mayBeHttp);
  if (!url || !isExpected) throw new UnexpectedDocument(`${ATTRIBUTES}/${name} is not an https URL`);
  if (!hosts || hosts.has(url.hostname)) return text;
  throw new UnexpectedDocument(`${ATTRIBUTES}/${name} leads to a host that is not in PLATFORM_URL_HOSTS`);
}
