import type { SessionCreated } from '#contracts';

import type { PlatformSettings } from '../platform-settings.ts';
import {
  attributesOf,
  type JsonObject,
  objectAt,
  parseDocument,
  textAt,
  UnexpectedDocument,
} from './document.ts';
import { playerTextAt, playerUrlAt, type UrlRules } from './player-texts.ts';
import { isInteger, parseWithRawNumbers } from './raw-numbers.ts';

const ATTRIBUTES = '/data/attributes';

/** Reads a Session resource, of the player that was asked for unless `userIds` is `any`. @throws UnexpectedDocument */
export function readSession(
  text: string,
  player: string,
  urls: UrlRules,
  userIds: PlatformSettings['sessionUserId'],
): SessionCreated {
  const data = objectAt(parseDocument(text, parseWithRawNumbers)['data'], '/data');
  textAt(data, 'id', '/data');
  const attributes = attributesOf(data, 'session', '/data');
  const platformUserId = userIdAt(attributes);
  if (userIds === 'same' && platformUserId !== player) {
    throw new UnexpectedDocument(
      `${ATTRIBUTES}/user-id is another player than the one asked for; ` +
        'if the platform gives its players ids of its own, SESSION_USER_ID=any accepts them',
    );
  }
  return {
    userId: player,
    ...(platformUserId !== player && { platformUserId }),
    sessionId: playerTextAt(attributes, 'session-id', ATTRIBUTES),
    auth: playerTextAt(attributes, 'auth', ATTRIBUTES),
    redirectUrl: playerUrlAt(attributes, 'redirect-url', ATTRIBUTES, urls),
  };
}

/** The interface document does not say that it is a text: an integer counts as its digits. */
function userIdAt(attributes: JsonObject): string {
  const id = attributes['user-id'];
  return isInteger(id) ? JSON.stringify(id) : playerTextAt(attributes, 'user-id', ATTRIBUTES);
}
