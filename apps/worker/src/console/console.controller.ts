import type { IncomingMessage } from 'node:http';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';

import { Controller, Get, Param, Req, Res } from '@nestjs/common';
// What the decorators emit looks at a global of the type's name, and `Response` would load Node.js's own HTTP client.
import type { Response as ExpressResponse } from 'express';

import { ConsoleFeed } from './console-feed.ts';

/** The folder of the page's files, all of which are public. */
const PAGE = dirname(createRequire(import.meta.url).resolve('#console/index.html'));
/** Nothing but files of this worker, no script or style within the page, and no other page around it. */
const HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-cache',
};

/** A page for people on call, which shows and changes nothing. Source: bus contract, section 7. */
@Controller('console')
export class ConsoleController {
  constructor(private readonly feed: ConsoleFeed) {}

  @Get('events')
  events(@Req() request: IncomingMessage, @Res() response: ExpressResponse): void {
    // A page from elsewhere cannot read the stream; nor may it take a place.
    if (request.headers.origin !== undefined || request.method !== 'GET') response.writeHead(403).end();
    else this.feed.viewers.admit(response);
  }

  @Get(['', ':name'])
  asset(@Res() response: ExpressResponse, @Param('name') name = 'index.html'): void {
    response.set(HEADERS).sendFile(name, { root: PAGE }, (error) => {
      if (error && !response.headersSent) response.status(404).end();
    });
  }
}
