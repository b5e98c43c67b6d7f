import { Controller, HttpCode, Param, Post, UseGuards } from '@nestjs/common';
import { PlatformError } from '../interface/documents.ts';
import { Currencies, Players } from '../players/players.ts';
import { Settings } from '../settings/settings.ts';
import { VerifiedCall, type Call } from '../traffic/exchange.ts';
import { SignatureGuard } from '../traffic/signature.guard.ts';
import { AUTH_TYPES, launchUrl, PublicAddress, Sessions } from './sessions.ts';

const ATTRIBUTES = '/data/attributes';

/** Session creation (interface document, endpoint 1). */
@Controller('api/web/v2/app/users')
@UseGuards(SignatureGuard)
export class SessionsController {
  constructor(
    private readonly settings: Settings,
    private readonly players: Players,
    private readonly sessions: Sessions,
    private readonly currencies: Currencies,
    private readonly address: PublicAddress,
  ) {}

  @Post(':userId/session')
  @HttpCode(200)
  create(@VerifiedCall() { client, content, fault }: Call, @Param('userId') userId: string) {
    const { nick, authType: asked = 'external', lang = 'en', currency } = content;
    const authType = AUTH_TYPES.find((type) => type === asked);
    if (!authType)
      throw new PlatformError(422, { detail: 'Auth type not valid', pointer: `${ATTRIBUTES}/authType` });
    if (!/^[a-z]{2}$/i.test(lang)) throw new PlatformError(422, { pointer: `${ATTRIBUTES}/lang` });
    this.currencies.check(currency, `${ATTRIBUTES}/currency`);
    if (this.settings.unknownPlayers === 'refuse' && !this.players.find(client.id, userId))
      throw new PlatformError(404, { detail: 'Player not found' });
    if (nick) this.players.checkNickname(client.id, userId, nick, `${ATTRIBUTES}/nick`);

    this.players.save(client.id, userId, { nick, currency });
    const session = this.sessions.open({ clientId: client.id, userId, authType, lang });
    const { auth, sessionId } = session;
    const attributes = {
      'user-id': fault?.kind === 'other-user-id' ? otherUserId(userId, fault.as) : userId,
      'redirect-url': launchUrl(this.address.origin, session),
      auth,
      'session-id': sessionId,
    };
    return { data: { id: auth, type: 'session', attributes } };
  }
}

/** As a platform may name the user that an operator asked for: by an id of its own, as a number, in another case. */
function otherUserId(userId: string, as: 'own' | 'integer' | 'case'): string | number {
  if (as === 'own') return `platform-${userId}`;
  if (as === 'integer') return Number.isSafeInteger(Number(userId)) ? Number(userId) : 4711;
  const capitals = userId.toUpperCase();
  return capitals === userId ? userId.toLowerCase() : capitals;
}
