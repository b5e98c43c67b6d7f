import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { sendAnswer } from '../interface/documents.ts';
import { html, type Html } from './html.ts';

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'";
const HEADERS = {
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
};

/** What differs between the pages. */
export interface PageParts {
  readonly title: string;
  /** Style sheets on top of lobby.css. */
  readonly styles?: readonly string[];
  readonly script: string;
  /** Beside the name, at the top. */
  readonly status?: Html;
  readonly main: Html;
  readonly note: string;
}

/** A whole page: its head, the name of the sandbox above, a note below. */
export function page({ title, styles = [], script, status, main, note }: PageParts): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title}</title>
        <link rel="icon" href="/assets/spade.svg" />
        ${['/assets/lobby.css', ...styles].map((href) => html`<link rel="stylesheet" href="${href}" />`)}
        <script type="module" src="${script}"></script>
      </head>
      <body>
        <header>
          <img src="/assets/spade.svg" alt="" width="28" height="28" />
          <p>Poker sandbox</p>
          ${status}
        </header>
        <main>${main}</main>
        <footer>
          <p>${note}</p>
        </footer>
      </body>
    </html>`.text;
}

/** A part of a page, or a whole one. */
export interface Content {
  readonly status?: number;
  readonly contentType: string;
  readonly body: string | Buffer;
  /** Further directives of the Content-Security-Policy, which allows scripts, styles and images of this origin alone. */
  readonly policy?: string;
}

export const HTML = 'text/html; charset=utf-8';

/** Sends a page with the headers that keep it to itself. */
export function sendPage(
  response: ServerResponse,
  { status = 200, contentType, body, policy }: Content,
): void {
  const headers = { 'content-security-policy': [POLICY, policy].filter(Boolean).join('; '), ...HEADERS };
  sendAnswer(response, { status, contentType, body, headers });
}

/** A style, a script or an image of the pages. */
export function asset(name: string): Content {
  return { contentType: typeOf(name), body: readFileSync(new URL(name, import.meta.url)) };
}

function typeOf(name: string): string {
  if (name.endsWith('.css')) return 'text/css; charset=utf-8';
  return name.endsWith('.js') ? 'text/javascript; charset=utf-8' : 'image/svg+xml';
}
