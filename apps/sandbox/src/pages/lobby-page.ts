import { asText } from '../interface/documents.ts';
import { html, type Html, instant, page, section } from './page.ts';
import type { Player } from '../players/players.ts';
import { optionsIn, type Session } from '../sessions/sessions.ts';

/** The target of the URL that a player opens: the session, if it exists, and its player, if known. */
export interface Visit {
  readonly session: Session | undefined;
  readonly player: Player | undefined;
  /** The table in the URL. If undefined, the URL opens the lobby. */
  readonly askedTable: string | undefined;
  readonly nowMs: number;
}

/**
 * The page that a session's URL opens, instead of the platform's game client: plain HTML that needs no
 * script.
 */
export function lobbyPage(visit: Visit): { readonly status: number; readonly body: string } {
  const { session, player, nowMs } = visit;
  const { status, badge, title, lead } = greetingOf(visit);
  const body = page({
    title: [title, session && (player?.nick ?? session.userId), 'Poker sandbox'].filter(Boolean).join(' – '),
    script: '/assets/countdown.js',
    main: html`<div class="hero ${badge.toLowerCase().replace(' ', '-')}">
        <p class="badge">${badge}</p>
        <h1>${title}</h1>
        ${lead}
      </div>
      ${session && session.expiresAtMs > nowMs && timeLeft(session, nowMs)}
      ${session && details(session, player)}`,
    note: 'This page stands in for the platform’s game client. No game starts here.',
  });
  return { status, body };
}

function greetingOf({ session, player, askedTable, nowMs }: Visit) {
  if (!session) {
    const lead = html`<p>
      The address is not complete, its token was replaced by a newer one, or the session ended long ago. A
      reset forgets sessions too, and so does a restart.
    </p>`;
    return { status: 404, badge: 'Session unknown', title: 'No session has this token', lead };
  }
  // a name in another script must not change the direction of the words around it
  const name = html`<strong><bdi>${player?.nick ?? session.userId}</bdi></strong>`;
  if (session.expiresAtMs <= nowMs) {
    const lead = html`<p>The session of ${name} is over.</p>
      ${logInAgain(session)}`;
    return { status: 410, badge: 'Session expired', title: 'The session has expired', lead };
  }
  if (session.authExpiresAtMs <= nowMs) {
    const lead = html`<p>
        The session of ${name} is still open, but this address no longer opens it. Open-game with the same
        session id gives another.
      </p>
      ${logInAgain(session)}`;
    return { status: 410, badge: 'Token expired', title: 'The token has expired', lead };
  }
  const { tableId } = session;
  // a session can be reopened for another table or the lobby; its older URLs still name the first
  const other = html`<p class="note">
    This address names ${askedTable === undefined ? 'the lobby' : `table ${askedTable}`}. The table or lobby
    above is what the session was opened for last.
  </p>`;
  const lead = html`<p>Opened for ${name}.</p>
    ${askedTable !== tableId?.toString() && other}`;
  const title = tableId === undefined ? 'Lobby' : `Table ${tableId}`;
  return { status: 200, badge: 'Session open', title, lead };
}

function logInAgain(session: Session): Html {
  const { restoreSessionUrl } = optionsIn(session.launchOptions) ?? {};
  const url = typeof restoreSessionUrl === 'string' ? URL.parse(restoreSessionUrl) : null;
  return url?.protocol === 'https:' || url?.protocol === 'http:'
    ? html`<p>
        <a class="action" href="${url.href}" rel="noopener noreferrer">Log in again at ${url.host}</a>
      </p>`
    : html`<p class="note">
        The launch options name no <code>restoreSessionUrl</code> on the web where the player could log in
        again.
      </p>`;
}

/** Renders the remaining lifetimes of the session and its token. countdown.js updates them. */
function timeLeft({ createdAtMs, expiresAtMs, authExpiresAtMs }: Session, nowMs: number): Html {
  const timer = (id: string, name: string, endsAtMs: number) => {
    const leftMs = Math.max(0, endsAtMs - nowMs);
    const ticking = html`<p class="clock" role="timer" aria-labelledby="${id}-name" data-left-ms="${leftMs}">
      ${clock(leftMs)}
    </p>`;
    return html`<div class="timer">
      <p id="${id}-name">${name}</p>
      ${leftMs > 0 ? ticking : html`<p class="clock over">expired</p>`}
      <progress aria-labelledby="${id}-name" max="${endsAtMs - createdAtMs}" value="${leftMs}"></progress>
      <p class="until">${leftMs > 0 ? 'until' : 'since'} ${instant(endsAtMs)}</p>
    </div>`;
  };
  const timers = html`<div class="timers">
    ${timer('session', 'Session', expiresAtMs)}
    ${timer('token', 'Token', Math.min(authExpiresAtMs, expiresAtMs))}
  </div>`;
  return section('time-left', 'Time left', timers);
}

/** Formats a remaining time like a clock, `59:58` or `1:00:00`; rounded up to whole seconds. */
export function clock(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  const hours = Math.floor(seconds / 3600);
  const rest = new Date(seconds * 1000).toISOString().slice(14, 19);
  return hours === 0 ? rest.replace(/^0/, '') : `${hours}:${rest}`;
}

const OPENED_IN = { external: 'a browser', internal: 'a desktop or mobile app' };

/** Renders the player of a session, its table or the lobby, and the launch options. */
function details(session: Session, player: Player | undefined): Html {
  const { tableId, authType, lang } = session;
  const facts = html`<dl>
    ${entry('Nickname', player?.nick)} ${entry('Player id', session.userId)}
    ${entry('Currency', player?.currency)} ${entry('Operator', session.clientId)}
    ${entry('Opens', tableId === undefined ? 'the lobby' : `table ${tableId}`)}
    ${entry('Opens in', html`${OPENED_IN[authType]} <code>${authType}</code>`)}
    ${entry('Language', code(lang))} ${entry('Opened', instant(session.createdAtMs))}
    ${entry('Session id', code(session.sessionId))}
  </dl>`;
  const given = Object.entries(optionsIn(session.launchOptions) ?? {});
  const options = given.map(([name, value]) => entry(code(name), code(asText(value))));
  const shown = options.length > 0 ? html`<dl>${options}</dl>` : html`<p class="note">None were given.</p>`;
  return html`${section('session', 'Session', facts)} ${section('launch-options', 'Launch options', shown)}`;
}

/** Unknown and empty values are not shown. */
function entry(name: Html | string, value: Html | string | undefined): Html {
  if (value === undefined || value === '') return html``;
  return html`<div>
    <dt>${name}</dt>
    <dd>${typeof value === 'string' ? html`<bdi>${value}</bdi>` : value}</dd>
  </div>`;
}

function code(text: string): Html {
  return html`<code><bdi>${text}</bdi></code>`;
}
