import type { GameOpened } from '#contracts';

import { attributesOf, objectAt, parseDocument, textAt } from './document.ts';

const ATTRIBUTES = '/data/attributes';

/** Reads a GameSession resource. @throws UnexpectedDocument */
export function readGame(text: string): GameOpened {
  const data = objectAt(parseDocument(text, JSON.parse)['data'], '/data');
  const attributes = attributesOf(data, 'GameSession', '/data');
  return {
    id: textAt(data, 'id', '/data'),
    playerId: textAt(attributes, 'playerId', ATTRIBUTES),
    sessionId: textAt(attributes, 'sessionId', ATTRIBUTES),
    auth: textAt(attributes, 'auth', ATTRIBUTES),
    url: textAt(attributes, 'url', ATTRIBUTES),
  };
}
