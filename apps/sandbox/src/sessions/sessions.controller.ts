import { Controller, HttpCode, Param, Post, UseGuards } from '@nestjs/common';
import { PlatformError } from '../interface/documents.ts';
import { checkCurrency, type PlayerDetails, Players } from '../players/players.ts';
import { Settings } from '../settings/settings.ts';
import type { Parameters } from '../signature/signature.ts';
import { type Call, VerifiedCall } from '../traffic/exchange.ts';
import { SignatureGuard } from '../traffic/signature.guard.ts';
import { ATTRIBUTES, readOpenGame, readSessionForm } from './session-requests.ts';
import { launchUrl, type SessionRequest, Sessions } from './sessions.ts';

/** Session creation and open-game (interface document, endpoints 1 and 2). */
@Controller()
@UseGuards(SignatureGuard)
export class SessionsController {
  constructor(
    private readonly settings: Settings,
    private readonly players: Players,
    private readonly sessions: Sessions,
  ) {}

  @Post('api/web/v2/app/users/:userId/session')
  @HttpCode(200)
  createSession(@VerifiedCall() { client, content, fault }: Call, @Param('userId') userId: string) {
    const { authType, lang, nick, currency } = readSessionForm(content);
    if (this.settings.unknownPlayers === 'refuse' && !this.players.find(client.id, userId))
      throw new PlatformError(404, { detail: 'Player not found' });
    const request = { clientId: client.id, userId, authType, lang };
    const { sessionId, auth, url } = this.open(request, { nick, currency }, ATTRIBUTES);
    const attributes = {
      'user-id': fault?.kind === 'other-user-id' ? otherUserId(userId, fault.as) : userId,
      'redirect-url': url,
      auth,
      'session-id': sessionId,
    };
    return { data: { id: auth, type: 'session', attributes } };
  }

  /** Opens the lobby or a table. An unknown player is created. */
  @Post('apiweb/v3/open-game')
  @HttpCode(200)
  openGame(@VerifiedCall() { client, content }: Call<Parameters>) {
    const { playerCountryMember } = client.conventions;
    const { wanted, player } = readOpenGame(content, playerCountryMember);
    const { id: userId, nick, currency, preferredCurrency, ...profile } = player;
    const { id: wantedId, authType, lang, tableId, launchOptions } = wanted;
    const request = { clientId: client.id, userId, authType, lang, tableId, launchOptions };
    const country = (profile as Parameters)[playerCountryMember] as string | undefined;
    const details = { nick, currency, preferredCurrency, country, profile };
    const { sessionId, auth, url } = this.open(request, details, `${ATTRIBUTES}/player`, wantedId);
    const id = `/apiweb/v3/game-sessions/${encodeURIComponent(sessionId)}`;
    return { data: { id, type: 'GameSession', attributes: { playerId: userId, sessionId, auth, url } } };
  }

  /** Opens a session, and saves its player, if neither currency, nickname nor session id is refused. */
  private open(request: SessionRequest, player: PlayerDetails, at: string, sessionId?: string) {
    const { clientId, userId } = request;
    checkCurrency(this.settings.currencies, player.currency, `${at}/currency`);
    if (player.nick) this.players.checkNickname(clientId, userId, player.nick, `${at}/nick`);
    const session = this.sessions.open(request, sessionId);
    this.players.save(clientId, userId, player);
    return { ...session, url: launchUrl(this.settings.publicUrl, session) };
  }
}

/** As a platform may name the user that an operator asked for: by an id of its own, as a number, in another case. */
function otherUserId(userId: string, as: 'own' | 'integer' | 'case'): string | number {
  if (as === 'own') return `platform-${userId}`;
  if (as === 'integer') return Number.isSafeInteger(Number(userId)) ? Number(userId) : 4711;
  const capitals = userId.toUpperCase();
  return capitals === userId ? userId.toLowerCase() : capitals;
}
