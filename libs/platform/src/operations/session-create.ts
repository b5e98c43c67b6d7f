import type { ExtraSessionMembers } from '#contracts';
import { readLaunchOptions } from '#contracts/validation';

import { resourceIn, UnexpectedDocument } from '../answers/document.ts';
import { inTurn } from '../answers/cooperative-task.ts';
import { ATTRIBUTES, idAt, LAUNCH, NOBODY, playerTextAt, playerUrlAt, UNKNOWN_AUTH_TYPE } from './launch.ts';
import type { Fields, OperationDefinition } from './operation.ts';

/** Creates a session for a player. A repeated call creates another session. */
export const sessionCreate: OperationDefinition<'session.create'> = {
  ...LAUNCH,
  repeatAfterUnknown: 'once',

  // `userId` is sent in the path and in the form, and signed once.
  request: ({ userId, nick, authType, lang, currency, extra }, { clientId }) => ({
    method: 'POST',
    pathTemplate: '/v2/app/users/{userId}/session',
    path: { userId },
    query: { clientId },
    form: { ...textsOf(extra), userId, nick, authType, lang, currency },
  }),

  read: inTurn((body, { baseUrl, settings }, { userId }) => {
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
  }),

  errors: [{ status: 404, isOwn: true, code: 'PLAYER_NOT_FOUND' }],

  harmless: () => ({ userId: NOBODY, authType: UNKNOWN_AUTH_TYPE, currency: NOBODY }),
};

/** Encodes members as form fields; `launchOptions` becomes JSON. */
function textsOf(members: ExtraSessionMembers = {}): Fields {
  const texts = Object.entries(members).map(([name, value]) => {
    const options = name === 'launchOptions' ? readLaunchOptions(value) : undefined;
    return [name, typeof value === 'string' && !options ? value : JSON.stringify(options ?? value)] as const;
  });
  return Object.fromEntries(texts);
}
