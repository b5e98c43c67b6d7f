import { html, type Html } from './html.ts';

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
        <link rel="icon" href="/lobby/spade.svg" />
        ${['/lobby/lobby.css', ...styles].map((href) => html`<link rel="stylesheet" href="${href}" />`)}
        <script type="module" src="${script}"></script>
      </head>
      <body>
        <header>
          <img src="/lobby/spade.svg" alt="" width="28" height="28" />
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
