import type { AuthType } from '../archive/session.ts';
import { html, type Html } from '../pages/html.ts';
import { instant } from '../pages/instant.ts';
import { languageName } from './language-name.ts';
import { launchOptionTexts } from './launch-options.ts';
import type { Guest } from './visit.ts';

const OPENED_IN: Readonly<Record<AuthType, string>> = {
  external: 'a browser',
  internal: 'a desktop or mobile app',
};

/** The details of a session: its player, what it opens, and the launch options. */
export function sessionDetails({ session, player }: Guest): Html {
  const { tableId, authType, lang, launchOptions } = session;
  const options = launchOptionTexts(launchOptions);
  return html`<section aria-labelledby="session">
      <h2 id="session">Session</h2>
      <dl>
        ${entry('Nickname', player?.nick)} ${entry('Player id', session.userId)}
        ${entry('Currency', player?.currency)} ${entry('Operator', session.clientId)}
        ${entry('Opens', tableId === undefined ? 'the lobby' : `table ${tableId}`)}
        ${entry('Opens in', html`${OPENED_IN[authType]} <code>${authType}</code>`)}
        ${entry('Language', language(lang))} ${entry('Opened', instant(session.createdAtMs))}
        ${entry('Session id', html`<code><bdi>${session.sessionId}</bdi></code>`)}
      </dl>
    </section>
    <section aria-labelledby="launch-options">
      <h2 id="launch-options">Launch options</h2>
      ${
        options.length === 0
          ? html`<p class="note">None were given.</p>`
          : html`<dl>${options.map(([name, text]) => option(name, text))}</dl>`
      }
    </section>`;
}

/** A value that is not known, or empty, is not shown. */
function entry(name: string, value: Html | string | undefined): Html | undefined {
  if (value === undefined || value === '') return undefined;
  return html`<div>
    <dt>${name}</dt>
    <dd>${typeof value === 'string' ? html`<bdi>${value}</bdi>` : value}</dd>
  </div>`;
}

function option(name: string, text: string): Html {
  return html`<div>
    <dt>
      <code><bdi>${name}</bdi></code>
    </dt>
    <dd>
      <code><bdi>${text}</bdi></code>
    </dd>
  </div>`;
}

function language(code: string): Html {
  const name = languageName(code);
  return name === undefined
    ? html`<code><bdi>${code}</bdi></code>`
    : html`<span lang="${code}">${name}</span> <code>${code}</code>`;
}
