import { IsIn } from 'class-validator';

import { MayBeAbsent, MustBeGiven } from '../validation/presence.ts';
import { IsLanguage, IsPlayerId, IsText } from '../validation/text.ts';

/** How a player comes in: by a browser, or by the desktop or mobile app. Source: interface document, endpoint 1. */
export const AUTH_TYPES = ['external', 'internal'] as const;
export type AuthType = (typeof AUTH_TYPES)[number];

/** The data of `session.create`: a session for a player, with the URL that opens the lobby. */
export class SessionCreate {
  @MustBeGiven()
  @IsPlayerId()
  readonly userId!: string;

  @MayBeAbsent()
  @IsText()
  readonly nick?: string;

  /** The platform's default is `external`. */
  @MayBeAbsent()
  @IsIn(AUTH_TYPES, { message: `must be one of ${AUTH_TYPES.join(', ')}` })
  readonly authType?: AuthType;

  /** The platform's default is `en`. */
  @MayBeAbsent()
  @IsLanguage()
  readonly lang?: string;

  @MayBeAbsent()
  @IsText()
  readonly currency?: string;
}
