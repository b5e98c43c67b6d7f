import type { SessionCreated } from '#contracts';

import { attributesOf, objectAt, parseDocument, textAt } from './document.ts';

const ATTRIBUTES = '/data/attributes';

/** Reads a Session resource. @throws UnexpectedDocument */
export function readSession(text: string): SessionCreated {
  const data = objectAt(parseDocument(text, JSON.parse)['data'], '/data');
  textAt(data, 'id', '/data');
  const attributes = attributesOf(data, 'session', '/data');
  return {
    userId: textAt(attributes, 'user-id', ATTRIBUTES),
    sessionId: textAt(attributes, 'session-id', ATTRIBUTES),
    auth: textAt(attributes, 'auth', ATTRIBUTES),
    redirectUrl: textAt(attributes, 'redirect-url', ATTRIBUTES),
  };
}
