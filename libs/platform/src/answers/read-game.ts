import type { GameOpened } from '#contracts';

import { attributesOf, type JsonObject, objectAt, parseDocument, UnexpectedDocument } from './document.ts';
import { playerTextAt, playerUrlAt, type UrlRules } from './player-texts.ts';

const ATTRIBUTES = '/data/attributes';

/** Reads a GameSession resource, of the player that was asked for. @throws UnexpectedDocument */
export function readGame(text: string, player: string, urls: UrlRules): GameOpened {
  const data = objectAt(parseDocument(text, JSON.parse)['data'], '/data');
  const attributes = attributesOf(data, 'GameSession', '/data');
  return {
    id: playerTextAt(data, 'id', '/data'),
    playerId: samePlayerAt(attributes, player),
    sessionId: playerTextAt(attributes, 'sessionId', ATTRIBUTES),
    auth: playerTextAt(attributes, 'auth', ATTRIBUTES),
    url: playerUrlAt(attributes, 'url', ATTRIBUTES, urls),
  };
}

/** The interface document calls it the external player ID, which is the operator's. */
function samePlayerAt(attributes: JsonObject, player: string): string {
  if (playerTextAt(attributes, 'playerId', ATTRIBUTES) === player) return player;
  throw new UnexpectedDocument(`${ATTRIBUTES}/playerId is another player than the one asked for`);
}
