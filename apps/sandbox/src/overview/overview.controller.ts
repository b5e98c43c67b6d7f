import type { ServerResponse } from 'node:http';
import {
  Controller,
  Get,
  type MessageEvent,
  type OnModuleDestroy,
  Res,
  Sse,
  UseGuards,
} from '@nestjs/common';
import { filter, finalize, map, type Observable, Subject, takeUntil, timer } from 'rxjs';
import { OwnHost } from '../control/own-host.ts';
import { Problem } from '../control/problem.ts';
import { asset, HTML, sendPage } from '../pages/send-page.ts';
import { PublicAddress } from '../sessions/public-address.ts';
import { Settings } from '../settings.ts';
import { Overview, type Parts } from './overview.ts';
import { overviewPage } from './overview-page.ts';

const LOOK_MS = 300;
/** Pages that are kept up to date at once. */
const MAX_WATCHERS = 20;
const POLICY = "connect-src 'self'; frame-ancestors 'none'";

const STYLE = asset('overview.css', import.meta.url);
const SCRIPT = asset('live.js', import.meta.url);

/** Serves the first page of the sandbox, and what changes while it is open as server-sent events. */
@Controller()
export class OverviewController implements OnModuleDestroy {
  private readonly closing = new Subject<void>();
  private watchers = 0;

  constructor(
    private readonly overview: Overview,
    private readonly address: PublicAddress,
    private readonly settings: Settings,
  ) {}

  @Get()
  @UseGuards(OwnHost)
  page(@Res() response: ServerResponse): void {
    const [client] = this.settings.clients;
    const body = overviewPage(this.overview.parts(), this.address.origin, client?.id ?? '');
    sendPage(response, { contentType: HTML, body, policy: POLICY });
  }

  @Get('overview/overview.css')
  style(@Res() response: ServerResponse): void {
    sendPage(response, STYLE);
  }

  @Get('overview/live.js')
  script(@Res() response: ServerResponse): void {
    sendPage(response, SCRIPT);
  }

  /** All parts at first, then those that have changed. */
  @Sse('sandbox/events')
  @UseGuards(OwnHost)
  events(): Observable<MessageEvent> {
    if (this.watchers >= MAX_WATCHERS) throw new Problem(429, 'Too many pages are open; close some.');
    this.watchers += 1;
    let shown: Partial<Parts> = {};
    return timer(0, LOOK_MS).pipe(
      map(() => {
        const parts = this.overview.parts();
        const changed = Object.entries(parts).filter(([name, text]) => shown[name as keyof Parts] !== text);
        shown = parts;
        return Object.fromEntries(changed);
      }),
      filter((changed) => Object.keys(changed).length > 0),
      map((data) => ({ data })),
      takeUntil(this.closing),
      finalize(() => (this.watchers -= 1)),
    );
  }

  /** Ends the streams, which would hold up the end of the process. */
  onModuleDestroy(): void {
    this.closing.next();
  }
}
