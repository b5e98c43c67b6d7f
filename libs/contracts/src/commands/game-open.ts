import { IsBoolean, IsIn } from 'class-validator';

import { IsLaunchOptions, type LaunchOptions } from '../validation/launch-options.ts';
import { IsSafeInteger } from '../validation/numbers.ts';
import { IsObjectOf } from '../validation/objects.ts';
import { MayBeAbsent, MustBeGiven } from '../validation/presence.ts';
import { IsLanguage, IsPlayerId, IsText } from '../validation/text.ts';
import { AUTH_TYPES, type AuthType } from './session-create.ts';

const BOOLEAN = { message: 'must be true or false' };

/** The player for whom a game is opened. Source: interface document, endpoint 2. */
export class GamePlayer {
  @MustBeGiven()
  @IsPlayerId()
  readonly id!: string;

  @MayBeAbsent()
  @IsText()
  readonly nick?: string;

  @MayBeAbsent()
  @IsText()
  readonly name?: string;

  @MayBeAbsent()
  @IsText()
  readonly email?: string;

  @MayBeAbsent()
  @IsText()
  readonly referredBy?: string;

  @MayBeAbsent()
  @IsText()
  readonly referralCode?: string;

  @MayBeAbsent()
  @IsText()
  readonly bonusCode?: string;

  @MayBeAbsent()
  @IsSafeInteger()
  readonly avatar?: number;

  @MayBeAbsent()
  @IsText()
  readonly phoneNumber?: string;

  @MayBeAbsent()
  @IsText()
  readonly tag?: string;

  @MayBeAbsent()
  @IsBoolean(BOOLEAN)
  readonly active?: boolean;

  @MayBeAbsent()
  @IsBoolean(BOOLEAN)
  readonly verified?: boolean;

  @MayBeAbsent()
  @IsSafeInteger()
  readonly trustedLevel?: number;

  @MayBeAbsent()
  @IsText()
  readonly currency?: string;

  @MayBeAbsent()
  @IsText()
  readonly preferredCurrency?: string;

  /** Sent under the name that the setting `PLAYER_COUNTRY_MEMBER` gives. */
  @MayBeAbsent()
  @IsText()
  readonly country?: string;
}

/** The session that is opened: without `tableId` the lobby, with one that table. */
export class GameSession {
  @MayBeAbsent()
  @IsText()
  readonly id?: string;

  @MayBeAbsent()
  @IsIn(AUTH_TYPES, { message: `must be one of ${AUTH_TYPES.join(', ')}` })
  readonly authType?: AuthType;

  @MayBeAbsent()
  @IsSafeInteger()
  readonly tableId?: number;

  @MayBeAbsent()
  @IsLanguage()
  readonly lang?: string;

  @MayBeAbsent()
  @IsLaunchOptions()
  readonly launchOptions?: LaunchOptions | string;

  @MayBeAbsent()
  @IsBoolean(BOOLEAN)
  readonly longLifeLoginToken?: boolean;

  @MayBeAbsent()
  @IsText()
  readonly userIp?: string;
}

/** The data of `game.open`: the lobby or a table for a player. */
export class GameOpen {
  @MustBeGiven()
  @IsObjectOf(GamePlayer)
  readonly player!: GamePlayer;

  @MayBeAbsent()
  @IsObjectOf(GameSession)
  readonly session?: GameSession;
}
