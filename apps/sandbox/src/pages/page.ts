import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';

import { sendAnswer } from '../interface/documents.ts';

/** A piece of HTML that is already escaped. */
export class Html {
  constructor(readonly text: string) {}
}

/** A value of a template: text, which is escaped, or HTML, which is not. */
export type Content = Html | readonly Html[] | string | number | undefined;

/**
 * Builds HTML from a template. Every value that is not HTML is escaped, for an element as for a quoted attribute;
 * undefined becomes nothing.
 */
export function html(template: TemplateStringsArray, ...values: readonly Content[]): Html {
  return new Html(String.raw({ raw: template }, ...values.map(markup)));
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function markup(value: Content): string {
  if (value === undefined) return '';
  if (value instanceof Html) return value.text;
  if (typeof value === 'object') return value.map(({ text }) => text).join('');
  return String(value).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}

/** Formats a time, to the second, in UTC. */
export function instant(ms: number): Html {
  const iso = new Date(ms).toISOString();
  return html`<time datetime="${iso}">${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC</time>`;
}

/** A part of a page with its heading. */
export function section(id: string, heading: string, content: Html): Html {
  return html`<section aria-labelledby="${id}">
    <h2 id="${id}">${heading}</h2>
    ${content}
  </section>`;
}

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
export interface ContentPage {
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
  { status = 200, contentType, body, policy }: ContentPage,
): void {
  const headers = { 'content-security-policy': [POLICY, policy].filter(Boolean).join('; '), ...HEADERS };
  sendAnswer(response, { status, contentType, body, headers });
}

/** A style, a script or an image of the pages. */
export function asset(name: string): ContentPage {
  return { contentType: typeOf(name), body: readFileSync(new URL(name, import.meta.url)) };
}

function typeOf(name: string): string {
  if (name.endsWith('.css')) return 'text/css; charset=utf-8';
  return name.endsWith('.js') ? 'text/javascript; charset=utf-8' : 'image/svg+xml';
}
