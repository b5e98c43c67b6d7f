import { type SandboxResponse, sendAnswer } from '../traffic/answer.ts';

/** A piece of HTML that is already escaped. */
export class Html {
  constructor(readonly text: string) {}

  toJSON(): string {
    return this.text;
  }
}

/** A value of a template: text, which is escaped, or HTML, which is not. */
export type Content = Html | readonly Html[] | string | number | false | undefined;

/**
 * Builds HTML from a template. Every value that is not HTML is escaped, so that it is safe in elements and in
 * quoted attributes; undefined and false render nothing.
 */
export function html(template: TemplateStringsArray, ...values: readonly Content[]): Html {
  return new Html(String.raw({ raw: template }, ...values.map(markup)));
}

function markup(value: Content): string {
  if (value === undefined || value === false) return '';
  if (value instanceof Html) return value.text;
  if (typeof value === 'object') return value.map(({ text }) => text).join('');
  return String(value).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

export function instant(ms: number): Html {
  const iso = new Date(ms).toISOString();
  return html`<time datetime="${iso}">${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC</time>`;
}

export function section(id: string, heading: string, content: Html): Html {
  return html`<section aria-labelledby="${id}">
    <h2 id="${id}">${heading}</h2>
    ${content}
  </section>`;
}

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'";
/** The headers of a page and of its files: they allow scripts, styles and images of this origin alone. */
export const PAGE_HEADERS = {
  'content-security-policy': POLICY,
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
};

interface PageParts {
  readonly title: string;
  readonly script: string;
  /** Shown at the top of the page, next to the name. */
  readonly status?: Html;
  readonly main: Html;
  readonly note: string;
}

/** Renders a complete page: its head, a header with the name of the sandbox, and a footer with a note. */
export function page({ title, script, status, main, note }: PageParts): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title}</title>
        <link rel="icon" href="/assets/spade.svg" />
        <link rel="stylesheet" href="/assets/pages.css" />
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

/** Sends a page. @param policy further directives of its Content-Security-Policy */
export function sendPage(response: SandboxResponse, body: string, { status = 200, policy = '' } = {}): void {
  const headers = { ...PAGE_HEADERS, 'content-security-policy': `${POLICY}${policy}` };
  sendAnswer(response, { status, contentType: 'text/html; charset=utf-8', body, headers });
}
