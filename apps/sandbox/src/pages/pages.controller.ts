import { Controller, Get, type OnModuleDestroy, Param, Query, Res, Sse } from '@nestjs/common';
import { finalize, map, Subject, takeUntil } from 'rxjs';
import { Problem } from '../control/problem.ts';
import type { SandboxResponse } from '../traffic/answer.ts';
import { Players } from '../players/players.ts';
import { Sessions } from '../sessions/sessions.ts';
import { Settings } from '../settings/settings.ts';
import { lobbyPage } from './lobby-page.ts';
import { Overview, overviewPage } from './overview.ts';
import { sendPage } from './page.ts';

/** The maximum number of open first pages that are kept up to date. */
const MAX_WATCHERS = 20;
const OVERVIEW_POLICY = "; connect-src 'self'; frame-ancestors 'none'";

/** Serves the pages of sessions, which players open in a browser, and the first page of the sandbox. */
@Controller()
export class PagesController implements OnModuleDestroy {
  private readonly closing = new Subject<void>();
  private watchers = 0;

  constructor(
    private readonly sessions: Sessions,
    private readonly players: Players,
    private readonly overview: Overview,
    private readonly settings: Settings,
  ) {}

  @Get(['lobby', 'table/:tableId'])
  lobby(
    @Res() response: SandboxResponse,
    @Query('auth') auth: unknown,
    @Param('tableId') askedTable: string | undefined,
  ): void {
    // a repeated parameter is parsed as a list
    const session = typeof auth === 'string' ? this.sessions.findByAuth(auth) : undefined;
    const player = session && this.players.find(session.clientId, session.userId);
    const { status, body } = lobbyPage({ session, player, askedTable, nowMs: Date.now() });
    // No `frame-ancestors`: the interface lets operators open the URL in an iframe.
    sendPage(response, body, { status });
  }

  @Get()
  first(@Res() response: SandboxResponse): void {
    const { publicUrl, clients } = this.settings;
    const body = overviewPage(this.overview.parts(), publicUrl, clients[0].id, this.settings);
    sendPage(response, body, { policy: OVERVIEW_POLICY });
  }

  /** Streams the parts of the first page, and sends them again when one of them changes. */
  @Sse('sandbox/events')
  events() {
    if (this.watchers >= MAX_WATCHERS) throw new Problem(429, 'Too many pages are open; close some.');
    this.watchers += 1;
    return this.overview.changes.pipe(
      map((data) => ({ data })),
      takeUntil(this.closing),
      finalize(() => (this.watchers -= 1)),
    );
  }

  /** Ends the streams, because open streams would delay the exit of the process. */
  onModuleDestroy(): void {
    this.closing.next();
  }
}
