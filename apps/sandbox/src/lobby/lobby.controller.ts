import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { Controller, Get, Param, Query, Res } from '@nestjs/common';
import { sendAnswer } from '../json-api/send-answer.ts';
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

/** No `frame-ancestors`: the interface lets operators open the URL in an iframe. */
const HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
};

const STYLE = asset('lobby.css');
const SCRIPT = asset('countdown.js');
const ICON = asset('spade.svg');

/** Serves the pages that the URLs of sessions open in a player's browser. */
@Controller()
export class LobbyController {
  constructor(
    private readonly sessions: Sessions,
    private readonly players: Players,
  ) {}

  @Get('lobby')
  lobby(@Res() response: ServerResponse, @Query('auth') auth: unknown): void {
    this.sendPage(response, auth, undefined);
  }

  @Get('table/:tableId')
  table(
    @Res() response: ServerResponse,
    @Query('auth') auth: unknown,
    @Param('tableId') tableId: string,
  ): void {
    this.sendPage(response, auth, tableId);
  }

  @Get('lobby/lobby.css')
  style(@Res() response: ServerResponse): void {
    send(response, 200, 'text/css; charset=utf-8', STYLE);
  }

  @Get('lobby/countdown.js')
  script(@Res() response: ServerResponse): void {
    send(response, 200, 'text/javascript; charset=utf-8', SCRIPT);
  }

  @Get('lobby/spade.svg')
  icon(@Res() response: ServerResponse): void {
    send(response, 200, 'image/svg+xml', ICON);
  }

  private sendPage(response: ServerResponse, auth: unknown, askedTable: string | undefined): void {
    const visit = this.visit(auth);
    send(response, STATUSES[visit.state], 'text/html; charset=utf-8', lobbyPage(visit, askedTable));
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

function asset(name: string): Buffer {
  return readFileSync(new URL(name, import.meta.url));
}

function send(response: ServerResponse, status: number, contentType: string, body: string | Buffer): void {
  sendAnswer(response, { status, contentType, body, headers: HEADERS });
}
