import type { GameOpened } from '#contracts';

import { attributesOf, objectAt, parseDocument } from './document.ts';
import { playerTextAt, playerUrlAt, samePlayerAt, type UrlRules } from './player-texts.ts';

const ATTRIBUTES = '/data/attributes';

/** Reads a GameSession resource, of the player that was asked for. @throws UnexpectedDocument */
export function readGame(text: string, player: string, urls: UrlRules): GameOpened {
  const data = objectAt(parseDocument(text, JSON.parse)['data'], '/data');
  const attributes = attributesOf(data, 'GameSession', '/data');
  return {
    id: playerTextAt(data, 'id', '/data'),
    playerId: samePlayerAt(attributes, 'playerId', ATTRIBUTES, player),
    sessionId: playerTextAt(attributes, 'sessionId', ATTRIBUTES),
    auth: playerTextAt(attributes, 'auth', ATTRIBUTES),
    url: playerUrlAt(attributes, 'url', ATTRIBUTES, urls),
  };
}
