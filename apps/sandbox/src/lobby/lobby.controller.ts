import type { ServerResponse } from 'node:http';
import { Controller, Get, Param, Query, Res } from '@nestjs/common';
import { asset, HTML, sendPage } from '../pages/send-page.ts';
import { Players } from '../players/players.ts';
import { Sessions } from '../sessions/sessions.ts';
import { lobbyPage } from './lobby-page.ts';
import { visitOf, type Visit } from './visit.ts';

const STATUSES: Readonly<Record<Visit['state'], number>> = {
  open: 200,
  'token-expired': 410,
  'session-expired': 410,
  unknown: 404,
};

const STYLE = asset('lobby.css', import.meta.url);
const SCRIPT = asset('countdown.js', import.meta.url);
const ICON = asset('spade.svg', import.meta.url);

/** Serves the pages that the URLs of sessions open in a player's browser. */
@Controller()
export class LobbyController {
  constructor(
    private readonly sessions: Sessions,
    private readonly players: Players,
  ) {}

  @Get('lobby')
  lobby(@Res() response: ServerResponse, @Query('auth') auth: unknown): void {
    this.sendLobby(response, auth, undefined);
  }

  @Get('table/:tableId')
  table(
    @Res() response: ServerResponse,
    @Query('auth') auth: unknown,
    @Param('tableId') tableId: string,
  ): void {
    this.sendLobby(response, auth, tableId);
  }

  @Get('lobby/lobby.css')
  style(@Res() response: ServerResponse): void {
    sendPage(response, STYLE);
  }

  @Get('lobby/countdown.js')
  script(@Res() response: ServerResponse): void {
    sendPage(response, SCRIPT);
  }

  @Get('lobby/spade.svg')
  icon(@Res() response: ServerResponse): void {
    sendPage(response, ICON);
  }

  private sendLobby(response: ServerResponse, auth: unknown, askedTable: string | undefined): void {
    const visit = this.visit(auth);
    // No `frame-ancestors`: the interface lets operators open the URL in an iframe.
    const body = lobbyPage(visit, askedTable);
    sendPage(response, { status: STATUSES[visit.state], contentType: HTML, body });
  }

  private visit(auth: unknown): Visit {
    // a repeated parameter is parsed as a list
    const session =
      typeof auth === 'string'
        ? (this.sessions.findByAuth(auth) ?? this.sessions.findExpiredByAuth(auth))
        : undefined;
    const player = session && this.players.find(session.clientId, session.userId);
    return visitOf(session, player, Date.now());
  }
}
