import { Controller, HttpCode, Post, UseGuards } from '@nestjs/common';
import { Currencies } from '../players/currencies.ts';
import { Players, type PlayerDetails } from '../players/players.ts';
import { launchUrl, PublicAddress } from '../sessions/public-address.ts';
import { Sessions, type Session } from '../sessions/sessions.ts';
import { VerifiedCall, type Call } from '../traffic/exchange.ts';
import { SignatureGuard } from '../traffic/signature.guard.ts';
import { readOpenGame, type OpenGame } from './open-game.ts';

const PLAYER = '/data/attributes/player';

/** Opening the lobby or a table (interface document, endpoint 2). An unknown player is created. */
@Controller('apiweb/v3')
@UseGuards(SignatureGuard)
export class GamesController {
  constructor(
    private readonly players: Players,
    private readonly sessions: Sessions,
    private readonly currencies: Currencies,
    private readonly address: PublicAddress,
  ) {}

  @Post('open-game')
  @HttpCode(200)
  open(@VerifiedCall() { client, content }: Call) {
    const game = readOpenGame(content, client.conventions.playerCountryMember);
    const { session: wanted, player } = game;
    this.currencies.check(player.currency, `${PLAYER}/currency`);
    if (player.nick) this.players.checkNickname(client.id, player.id, player.nick, `${PLAYER}/nick`);

    const session = this.sessions.open(
      {
        clientId: client.id,
        userId: player.id,
        authType: wanted.authType ?? 'external',
        lang: wanted.lang ?? 'en',
        ...(wanted.tableId !== undefined && { tableId: wanted.tableId }),
        ...(wanted.launchOptions !== undefined && { launchOptions: wanted.launchOptions }),
      },
      wanted.id,
    );
    this.players.save(client.id, player.id, detailsOf(game));
    return gameSessionDocument(session, launchUrl(this.address.origin, session));
  }
}

function gameSessionDocument({ sessionId, userId, auth }: Session, url: string) {
  return {
    data: {
      id: `/apiweb/v3/game-sessions/${encodeURIComponent(sessionId)}`,
      type: 'GameSession',
      attributes: { playerId: userId, sessionId, auth, url },
    },
  };
}

function detailsOf({ player, country }: OpenGame): PlayerDetails {
  const { id: _id, nick, currency, preferredCurrency, ...profile } = player;
  return {
    profile,
    ...(nick && { nick }),
    ...(currency && { currency }),
    ...(preferredCurrency && { preferredCurrency }),
    ...(country && { country }),
  };
}
