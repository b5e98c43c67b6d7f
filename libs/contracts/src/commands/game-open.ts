import { IsBoolean, IsString } from 'class-validator';

import {
  type AuthType,
  IsAuthType,
  IsLanguageTag,
  IsObjectOf,
  IsPlayerId,
  IsSafeInteger,
  IsText,
  MayBeAbsent,
  MustBeGiven,
} from '../validation/member-rules.ts';
import type { CommandDefinition, ReplyDefinition } from '../validation/definition.ts';
import { IsLaunchOptions, type LaunchOptions } from '../validation/launch-options.ts';

const IsTrueOrFalse = IsBoolean({ message: 'must be true or false' });

/** The player for whom a game is opened. Source: interface document, endpoint 2. */
export class GamePlayer {
  @MustBeGiven('The player.', IsPlayerId)
  readonly id!: string;
  @MayBeAbsent('The nickname that other players see.', IsText)
  readonly nick?: string;
  @MayBeAbsent("The player's name.", IsText)
  readonly name?: string;
  @MayBeAbsent('E-mail address.', IsText)
  readonly email?: string;
  @MayBeAbsent('User name of the referrer.', IsText)
  readonly referredBy?: string;
  @MayBeAbsent('Referral code of the referrer.', IsText)
  readonly referralCode?: string;
  @MayBeAbsent('Affiliate bonus code.', IsText)
  readonly bonusCode?: string;
  @MayBeAbsent("The player's own avatar, or a preset one.", IsSafeInteger())
  readonly avatar?: number;
  @MayBeAbsent('Telephone number.', IsText)
  readonly phoneNumber?: string;
  @MayBeAbsent("The player's tag.", IsText)
  readonly tag?: string;
  @MayBeAbsent('Whether the account is activated.', IsTrueOrFalse)
  readonly active?: boolean;
  @MayBeAbsent('Whether the player is verified.', IsTrueOrFalse)
  readonly verified?: boolean;
  @MayBeAbsent('Id of the trusted level.', IsSafeInteger())
  readonly trustedLevel?: number;
  @MayBeAbsent('ISO code.', IsText)
  readonly currency?: string;
  @MayBeAbsent('ISO code.', IsText)
  readonly preferredCurrency?: string;
  @MayBeAbsent('ISO code; sent under the name in PLAYER_COUNTRY_MEMBER.', IsText)
  readonly country?: string;
}

/** The session that is opened. */
export class GameSession {
  @MayBeAbsent(
    'Default: derived, so that a repeat opens the same session; with SESSION_ID=omit none.',
    IsText,
  )
  readonly id?: string;
  @MayBeAbsent('A browser, the default, or the desktop or mobile app.', IsAuthType)
  readonly authType?: AuthType;
  @MayBeAbsent('The table; without it the lobby opens.', IsSafeInteger())
  readonly tableId?: number;
  @MayBeAbsent('Of the lobby or the table.', IsLanguageTag)
  readonly lang?: string;
  @MayBeAbsent('Custom options embedded in the URL of the game.', IsLaunchOptions)
  readonly launchOptions?: LaunchOptions | string;
  @MayBeAbsent("The platform's default is true.", IsTrueOrFalse)
  readonly longLifeLoginToken?: boolean;
  @MayBeAbsent("The player's IP address.", IsText)
  readonly userIp?: string;
}

/** The data of `game.open`. */
export class GameOpen {
  @MustBeGiven('Who plays.', IsObjectOf(GamePlayer))
  readonly player!: GamePlayer;
  @MayBeAbsent('What is opened, and how.', IsObjectOf(GameSession))
  readonly session?: GameSession;
}

/** The data of `game.opened`. */
export class GameOpened {
  @MustBeGiven("The platform's id of the document.", IsString())
  readonly id!: string;
  @MustBeGiven('The player.', IsString())
  readonly playerId!: string;
  @MustBeGiven('As sent or derived, or made by the platform.', IsString())
  readonly sessionId!: string;
  @MustBeGiven('A short-lived token that acts for the player. Do not log it.', IsString())
  readonly auth!: string;
  @MustBeGiven('Opens the lobby or the table; holds the token.', IsString())
  readonly url!: string;
}

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
