import { IsBoolean } from 'class-validator';

import { IsExtra } from '../validation/extra.ts';
import { IsAnyText } from '../replies/reply-rules.ts';
import type { CommandDefinition, ReplyDefinition } from '../validation/definition.ts';
import { IsLaunchOptions } from '../validation/launch-options.ts';
import {
  IsAuthType,
  IsLanguageTag,
  IsObjectOf,
  IsPlayerId,
  IsSafeInteger,
  IsText,
} from '../validation/member-rules.ts';
import { optional, required, ruleOf, shape } from '../validation/shape.ts';

const IsTrueOrFalse = ruleOf<boolean>(IsBoolean({ message: 'must be true or false' }));

/** Source: interface document, endpoint 2. */
const PLAYER_MEMBERS = {
  id: required('The player.', IsPlayerId),
  nick: optional('The nickname that other players see.', IsText),
  name: optional("The player's name.", IsText),
  email: optional('E-mail address.', IsText),
  referredBy: optional('User name of the referrer.', IsText),
  referralCode: optional('Referral code of the referrer.', IsText),
  bonusCode: optional('Affiliate bonus code.', IsText),
  avatar: optional("The player's own avatar, or a preset one.", IsSafeInteger()),
  phoneNumber: optional('Telephone number.', IsText),
  tag: optional("The player's tag.", IsText),
  active: optional('Whether the account is activated.', IsTrueOrFalse),
  verified: optional('Whether the player is verified.', IsTrueOrFalse),
  trustedLevel: optional('Id of the trusted level.', IsSafeInteger()),
  currency: optional('ISO code.', IsText),
  preferredCurrency: optional('ISO code.', IsText),
  country: optional('ISO code; sent under the name in PLAYER_COUNTRY_MEMBER.', IsText),
};
const SESSION_MEMBERS = {
  id: optional(
    'Default: derived, so that a repeat opens the same session; with SESSION_ID=omit none.',
    IsText,
  ),
  authType: optional('A browser, the default, or the desktop or mobile app.', IsAuthType),
  tableId: optional('The table; without it the lobby opens.', IsSafeInteger()),
  lang: optional('Of the lobby or the table.', IsLanguageTag),
  launchOptions: optional('Custom options embedded in the URL of the game.', IsLaunchOptions),
  longLifeLoginToken: optional("The platform's default is true.", IsTrueOrFalse),
  userIp: optional("The player's IP address.", IsText),
};
const extraBeside = (members: object) =>
  optional(
    'Further members that PLATFORM_EXTRA_MEMBERS allows.',
    IsExtra([...Object.keys(members), 'extra']),
  );

export class GamePlayer extends shape('GamePlayer', {
  ...PLAYER_MEMBERS,
  extra: extraBeside(PLAYER_MEMBERS),
}) {}

export class GameSession extends shape('GameSession', {
  ...SESSION_MEMBERS,
  extra: extraBeside(SESSION_MEMBERS),
}) {}

export class GameOpen extends shape('GameOpen', {
  player: required('Who plays.', IsObjectOf(GamePlayer)),
  session: optional('What is opened, and how.', IsObjectOf(GameSession)),
}) {}

export class GameOpened extends shape('GameOpened', {
  id: required("The platform's id of the document.", IsAnyText),
  playerId: required('The player.', IsAnyText),
  sessionId: required('As sent or derived, or made by the platform.', IsAnyText),
  auth: required('A short-lived token that acts for the player. Do not log it.', IsAnyText),
  url: required('Opens the lobby or the table; holds the token.', IsAnyText),
}) {}

export const gameOpen = {
  type: 'game.open',
  summary: 'The lobby for a player, or with session.tableId a table.',
  player: ['player', 'id'],
  data: GameOpen,
  examples: [
    { name: 'least', summary: 'No more than what is required', data: { player: { id: 'player-1' } } },
    {
      name: 'lobby',
      summary: 'The lobby, with everything that is known of a player, and launch options as a string of JSON',
      headers: { 'x-deadline': 1769860810000 },
      data: {
        player: {
          id: 'player-1',
          nick: 'Ace',
          name: 'Ada Example',
          email: 'ada@example.com',
          referredBy: 'bob',
          referralCode: 'R1',
          bonusCode: 'B1',
          avatar: 7,
          phoneNumber: '+49 30 1',
          tag: 'vip',
          active: true,
          verified: false,
          trustedLevel: 2,
          currency: 'EUR',
          preferredCurrency: 'USD',
          country: 'DE',
        },
        session: {
          authType: 'external',
          lang: 'pt-BR',
          launchOptions: '{"restoreSessionUrl":"https://operator.example/login"}',
        },
      },
    },
    {
      name: 'table',
      summary: 'A table, with a way back when the session expires',
      data: {
        player: { id: 'player-1' },
        session: {
          id: 'operator-session-1',
          tableId: 7,
          launchOptions: { restoreSessionUrl: 'https://operator.example/login' },
          longLifeLoginToken: false,
          userIp: '203.0.113.7',
        },
      },
    },
    {
      name: 'extra',
      summary:
        'Members beyond the interface document, with PLATFORM_EXTRA_MEMBERS=game.open/player/city,game.open/session/gameCode',
      data: {
        player: { id: 'player-1', extra: { city: 'Berlin' } },
        session: { extra: { gameCode: 'poker' } },
      },
    },
  ],
  replies: [
    {
      type: 'game.opened',
      summary: 'The URL that opens the lobby or the table.',
      data: GameOpened,
      announced: ['id', 'playerId', 'sessionId'],
      examples: [
        {
          name: 'table',
          summary: 'A table',
          data: {
            id: '/apiweb/v3/game-sessions/operator-session-1',
            playerId: 'player-1',
            sessionId: 'operator-session-1',
            auth: 'EXAMPLE-TOKEN',
            url: 'https://poker.example/table/7?auth=EXAMPLE-TOKEN&lang=en',
          },
        },
      ],
    } satisfies ReplyDefinition<GameOpened>,
  ],
} satisfies CommandDefinition<GameOpen>;
