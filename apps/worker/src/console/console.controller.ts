import type { IncomingMessage } from 'node:http';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';

import { Controller, Get, Param, Req, Res } from '@nestjs/common';
// Emitted decorator metadata reads a global with the name of the type. A type named `Response` would load
// Node.js's own HTTP client.
import type { Response as ExpressResponse } from 'express';

import { ConsoleFeed } from './console-feed.ts';

/** The folder of the page's files, all of which are public. */
const PAGE = dirname(createRequire(import.meta.url).resolve('#console/index.html'));
/** Allows only files of this worker, no inline scripts or styles, and no framing by other pages. */
const HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-cache',
};

/** A read-only page for people on call. Source: bus contract, section 7. */
@Controller('console')
export class ConsoleController {
  constructor(private readonly feed: ConsoleFeed) {}

  @Get('events')
  events(@Req() request: IncomingMessage, @Res() response: ExpressResponse): void {
    // A page of another origin cannot read the stream, so it must not use up one of the places for viewers.
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
