import { exactJson } from '../interface/documents.ts';
import { html, type Html, instant, page, section } from './page.ts';
import type { Player } from '../players/players.ts';
import type { AuthType, Session } from '../sessions/sessions.ts';
import { parseJson } from '../signature/php-json.ts';

/** What the URL that a player opens leads to: the session, if there is one, and its player, if known. */
export interface Visit {
  readonly session: Session | undefined;
  readonly player: Player | undefined;
  /** The table that the URL names; undefined: the lobby. */
  readonly askedTable: string | undefined;
  readonly nowMs: number;
}

type Guest = Visit & { readonly session: Session };

/** The states of a session, each with the status of its page; `token-expired`: open-game under its id gives another token. */
const STATES = {
  open: { status: 200, badge: 'Session open', title: undefined },
  'token-expired': { status: 410, badge: 'Token expired', title: 'The token has expired' },
  'session-expired': { status: 410, badge: 'Session expired', title: 'The session has expired' },
  unknown: { status: 404, badge: 'Session unknown', title: 'No session has this token' },
} as const;

type VisitState = keyof typeof STATES;

function stateOf({ session, nowMs }: Visit): VisitState {
  if (!session) return 'unknown';
  if (session.expiresAtMs <= nowMs) return 'session-expired';
  return session.authExpiresAtMs <= nowMs ? 'token-expired' : 'open';
}

/** The page that a session's URL opens, instead of the platform's game client: plain HTML that needs no script. */
export function lobbyPage(visit: Visit): { readonly status: number; readonly body: string } {
  const state = stateOf(visit);
  const guest = visit.session && { ...visit, session: visit.session };
  const {
    status,
    badge,
    title = guest?.session.tableId === undefined ? 'Lobby' : `Table ${guest.session.tableId}`,
  } = STATES[state];
  const body = page({
    title: [title, guest && nameOf(guest), 'Poker sandbox'].filter(Boolean).join(' – '),
    script: '/assets/countdown.js',
    main: html`<div class="hero ${state}">
        <p class="badge">${badge}</p>
        <h1>${title}</h1>
        ${guest ? leadOf(guest, state) : UNKNOWN}
      </div>
      ${guest && state !== 'session-expired' ? timeLeft(guest) : undefined} ${guest && details(guest)}`,
    note: 'This page stands in for the platform’s game client. No game starts here.',
  });
  return { status, body };
}

const UNKNOWN = html`<p>
  The address is not complete, its token was replaced by a newer one, or the session ended long ago. A reset
  forgets sessions too, and so does a restart.
</p>`;

function nameOf({ session, player }: Guest): string {
  return player?.nick ?? session.userId;
}

function leadOf(guest: Guest, state: VisitState): Html {
  // a name in another script must not change the direction of the words around it
  const name = html`<strong><bdi>${nameOf(guest)}</bdi></strong>`;
  if (state === 'open')
    return html`<p>Opened for ${name}.</p>
      ${otherPlace(guest)}`;
  const what =
    state === 'token-expired'
      ? html`<p>
          The session of ${name} is still open, but this address no longer opens it. Open-game with the same
          session id gives another.
        </p>`
      : html`<p>The session of ${name} is over.</p>`;
  return html`${what} ${logInAgain(guest)}`;
}

/** A session may be opened again for another place; its older URLs still name the first. */
function otherPlace({ session, askedTable }: Guest): Html | undefined {
  if (askedTable === session.tableId?.toString()) return undefined;
  return html`<p class="note">
    This address names ${askedTable === undefined ? 'the lobby' : `table ${askedTable}`}. The table or lobby
    above is what the session was opened for last.
  </p>`;
}

function logInAgain({ session }: Guest): Html {
  const { restoreSessionUrl } = optionsOf(session);
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

/** Launch options are an object, or a string that holds one. */
function optionsOf({ launchOptions }: Session): Readonly<Record<string, unknown>> {
  const value = typeof launchOptions === 'string' ? parseJson(launchOptions)?.value : launchOptions;
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

/** Shows how long the session and its token still last; countdown.js updates it. */
function timeLeft({ session: { createdAtMs, expiresAtMs, authExpiresAtMs }, nowMs }: Guest): Html {
  const timers = [
    ['session', 'Session', expiresAtMs],
    ['token', 'Token', Math.min(authExpiresAtMs, expiresAtMs)],
  ] as const;
  return section(
    'time-left',
    'Time left',
    html`<div class="timers">
      ${timers.map(([id, name, endsAtMs]) => timer(id, name, endsAtMs - nowMs, endsAtMs - createdAtMs, endsAtMs))}
    </div>`,
  );
}

function timer(id: string, name: string, leftMs: number, wholeMs: number, endsAtMs: number): Html {
  const isOver = leftMs <= 0;
  return html`<div class="timer">
    <p id="${id}-name">${name}</p>
    ${
      isOver
        ? html`<p class="clock over">expired</p>`
        : html`<p
            class="clock"
            role="timer"
            aria-labelledby="${id}-name"
            data-left-ms="${leftMs}"
            data-bar="${id}-bar"
          >
            ${clock(leftMs)}
          </p>`
    }
    <progress
      id="${id}-bar"
      aria-labelledby="${id}-name"
      max="${wholeMs}"
      value="${Math.max(0, leftMs)}"
    ></progress>
    <p class="until">${isOver ? 'since' : 'until'} ${instant(endsAtMs)}</p>
  </div>`;
}

/** Formats a remaining time like a clock, `59:58` or `1:00:00`; a second that has begun counts. */
export function clock(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  const [hours, ...rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const parts = hours === 0 ? rest : [hours, ...rest];
  return parts.map((part, index) => (index === 0 ? String(part) : String(part).padStart(2, '0'))).join(':');
}

const OPENED_IN: Readonly<Record<AuthType, string>> = {
  external: 'a browser',
  internal: 'a desktop or mobile app',
};

/** The player of a session, what it opens, and the launch options. */
function details({ session, player }: Guest): Html {
  const { tableId, authType, lang } = session;
  const options = Object.entries(optionsOf(session));
  const facts = html`<dl>
    ${entry('Nickname', player?.nick)} ${entry('Player id', session.userId)}
    ${entry('Currency', player?.currency)} ${entry('Operator', session.clientId)}
    ${entry('Opens', tableId === undefined ? 'the lobby' : `table ${tableId}`)}
    ${entry('Opens in', html`${OPENED_IN[authType]} <code>${authType}</code>`)}
    ${entry('Language', code(lang))} ${entry('Opened', instant(session.createdAtMs))}
    ${entry('Session id', code(session.sessionId))}
  </dl>`;
  const shown = options.map(([name, value]) =>
    entry(code(name), code(typeof value === 'string' ? value : exactJson(value))),
  );
  return html`${section('session', 'Session', facts)}
  ${section('launch-options', 'Launch options', shown.length === 0 ? NO_OPTIONS : html`<dl>${shown}</dl>`)}`;
}

const NO_OPTIONS = html`<p class="note">None were given.</p>`;

/** A value that is not known, or empty, is not shown. */
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
