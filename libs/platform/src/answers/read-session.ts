import type { SessionCreated } from '#contracts';

import { attributesOf, objectAt, parseDocument, textAt } from './document.ts';
import { playerTextAt, playerUrlAt, samePlayerAt, type UrlRules } from './player-texts.ts';

const ATTRIBUTES = '/data/attributes';

/** Reads a Session resource, of the player that was asked for. @throws UnexpectedDocument */
export function readSession(text: string, player: string, urls: UrlRules): SessionCreated {
  const data = objectAt(parseDocument(text, JSON.parse)['data'], '/data');
  textAt(data, 'id', '/data');
  const attributes = attributesOf(data, 'session', '/data');
  return {
    userId: samePlayerAt(attributes, 'user-id', ATTRIBUTES, player),
    sessionId: playerTextAt(attributes, 'session-id', ATTRIBUTES),
    auth: playerTextAt(attributes, 'auth', ATTRIBUTES),
    redirectUrl: playerUrlAt(attributes, 'redirect-url', ATTRIBUTES, urls),
  };
}
