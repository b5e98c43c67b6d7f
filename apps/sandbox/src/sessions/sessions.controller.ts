import { Controller, HttpCode, Param, Post, UseGuards } from '@nestjs/common';
import { Currencies } from '../currencies/currencies.ts';
import { PlatformError } from '../json-api/platform-error.ts';
import { Players } from '../players/players.ts';
import { Settings } from '../settings.ts';
import { SignatureGuard } from '../signature-guard/signature.guard.ts';
import { VerifiedCall, type Call } from '../traffic/exchange.ts';
import { launchUrl } from './launch-url.ts';
import { PublicAddress } from './public-address.ts';
import { isAuthType, type Session } from '../archive/session.ts';
import { Sessions } from './sessions.ts';

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
  create(@VerifiedCall() { client, content }: Call, @Param('userId') userId: string) {
    const form = content as Readonly<Record<string, string | undefined>>;
    const { nick, authType = 'external', lang = 'en', currency } = form;
    if (!isAuthType(authType))
      throw new PlatformError(422, { detail: 'Auth type not valid', pointer: `${ATTRIBUTES}/authType` });
    if (!/^[a-z]{2}$/i.test(lang)) throw new PlatformError(422, { pointer: `${ATTRIBUTES}/lang` });
    this.currencies.check(currency, `${ATTRIBUTES}/currency`);
    if (this.settings.unknownPlayers === 'refuse' && !this.players.find(client.id, userId))
      throw new PlatformError(404, { detail: 'Player not found' });
    if (nick) this.players.checkNickname(client.id, userId, nick, `${ATTRIBUTES}/nick`);

    this.players.save(client.id, userId, { ...(nick && { nick }), ...(currency && { currency }) });
    const session = this.sessions.open({ clientId: client.id, userId, authType, lang });
    return sessionDocument(session, launchUrl(this.address.origin, session));
  }
}

function sessionDocument({ auth, userId, sessionId }: Session, redirectUrl: string) {
  return {
    data: {
      id: auth,
      type: 'session',
      attributes: { 'user-id': userId, 'redirect-url': redirectUrl, auth, 'session-id': sessionId },
    },
  };
}
