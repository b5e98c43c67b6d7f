import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createRequire } from 'node:module';

import { Controller, Get, Param, Req, Res } from '@nestjs/common';

import { ConsoleFeed } from './console-feed.ts';

const require = createRequire(import.meta.url);
/** The files of the page, read when they are asked for: a worker keeps none. */
const FILES: ReadonlySet<string> = new Set(
  'index.html console.css console.js connection.js elements.js sections.js icon.svg'.split(' '),
);
const CONTENT_TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
};
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

  @Get()
  page(@Res() response: ServerResponse): void {
    this.asset(response, 'index.html');
  }

  @Get('events')
  events(@Req() request: IncomingMessage, @Res() response: ServerResponse): void {
    // A page from elsewhere cannot read the stream; nor may it take a place.
    if (request.headers.origin !== undefined || request.method !== 'GET') response.writeHead(403).end();
    else this.feed.watch(response);
  }

  @Get(':name')
  asset(@Res() response: ServerResponse, @Param('name') name: string): void {
    if (!FILES.has(name)) {
      response.writeHead(404, HEADERS).end();
      return;
    }
    const type = CONTENT_TYPES[name.slice(name.lastIndexOf('.') + 1)];
    const content = readFileSync(require.resolve(`#console/${name}`));
    response.writeHead(200, { ...HEADERS, 'content-type': type }).end(content);
  }
}
