import { IsAnyText } from '../replies/reply-rules.ts';
import type { CommandDefinition, ReplyDefinition } from '../validation/definition.ts';
import { IsExtraOfSession } from '../validation/extra.ts';
import { IsAuthType, IsLanguage, IsPlayerId, IsText } from '../validation/member-rules.ts';
import { optional, required, shape } from '../validation/shape.ts';

/** Source: interface document, endpoint 1. */
const MEMBERS = {
  userId: required('The player.', IsPlayerId),
  nick: optional('The nickname that other players see.', IsText),
  authType: optional('A browser, the default, or the desktop or mobile app.', IsAuthType),
  lang: optional("The platform's default is en.", IsLanguage),
  currency: optional('ISO code; a platform may require it.', IsText),
};
/** Further parameters of the request. */
const OTHER_PARAMETERS = ['clientId', 'sign', 'extra'];

export class SessionCreate extends shape('SessionCreate', {
  ...MEMBERS,
  extra: optional(
    'Further members that PLATFORM_EXTRA_MEMBERS allows; launchOptions may be an object.',
    IsExtraOfSession([...Object.keys(MEMBERS), ...OTHER_PARAMETERS]),
  ),
}) {}

export class SessionCreated extends shape('SessionCreated', {
  userId: required('The player, as asked for.', IsAnyText),
  platformUserId: optional(
    "The platform's own id of the player, if it is another one: SESSION_USER_ID=any.",
    IsAnyText,
  ),
  sessionId: required('The session.', IsAnyText),
  auth: required('A short-lived token that acts for the player. Do not log it.', IsAnyText),
  redirectUrl: required('Opens the lobby; holds the token.', IsAnyText),
}) {}

const TRACE = { traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01' };
/** Values that the platform creates, as used in the examples. */
const MADE = {
  sessionId: '585fe9e9-36e4-4d01-9688-65b97f85199f',
  auth: 'EXAMPLE-TOKEN',
  redirectUrl: 'https://poker.example/lobby?auth=EXAMPLE-TOKEN&lang=en',
};

export const sessionCreate = {
  type: 'session.create',
  summary: 'A session for a player, with the URL that opens the lobby.',
  player: ['userId'],
  data: SessionCreate,
  examples: [
    { name: 'least', summary: 'No more than what is required', data: { userId: 'player-1' } },
    {
      name: 'whole',
      summary: 'Every member, a deadline and a trace',
      headers: { operator: 'default', 'x-deadline': '2026-01-31T12:00:10Z', 'schema-version': 1, ...TRACE },
      data: { userId: 'player-1', nick: 'Ace', authType: 'external', lang: 'en', currency: 'EUR' },
    },
    {
      name: 'extra',
      summary: 'A member beyond the interface document, with PLATFORM_EXTRA_MEMBERS=session.create/gameCode',
      data: { userId: 'player-1', extra: { gameCode: 'poker' } },
    },
  ],
  replies: [
    {
      type: 'session.created',
      summary: 'A session, with the URL that opens the lobby.',
      data: SessionCreated,
      announced: ['userId', 'platformUserId', 'sessionId'],
      examples: [
        {
          name: 'created',
          summary: 'A session, with the trace of its command',
          headers: TRACE,
          data: { userId: 'player-1', ...MADE },
        },
        {
          name: 'own',
          summary: 'Of a platform with ids of its own, with SESSION_USER_ID=any',
          data: { userId: 'player-1', platformUserId: '4711', ...MADE },
        },
      ],
    } satisfies ReplyDefinition<SessionCreated>,
  ],
} satisfies CommandDefinition<SessionCreate>;
