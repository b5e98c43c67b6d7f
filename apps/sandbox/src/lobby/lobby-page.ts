import { html, type Html } from '../pages/html.ts';
import { page } from '../pages/page.ts';
import { restoreSessionUrl } from './launch-options.ts';
import { sessionDetails } from './session-details.ts';
import { timeLeft } from './time-left.ts';
import type { Guest, Visit } from './visit.ts';

/** The parts of the page that depend on the state of a session. */
interface Face {
  readonly badge: string;
  readonly title: string;
  readonly lead: Html;
  readonly rest?: Html;
}

/**
 * The page that a session's URL opens, instead of the platform's game client: plain HTML that needs no script.
 * @param askedTable the table that the URL names; undefined: the lobby
 */
export function lobbyPage(visit: Visit, askedTable: string | undefined): string {
  const { badge, title, lead, rest } = faceOf(visit, askedTable);
  const name = visit.state === 'unknown' ? undefined : nameOf(visit.guest);
  return page({
    title: [title, name, 'Poker sandbox'].filter((part) => part !== undefined).join(' – '),
    script: '/lobby/countdown.js',
    main: html`<div class="hero ${visit.state}">
        <p class="badge">${badge}</p>
        <h1>${title}</h1>
        ${lead}
      </div>
      ${rest}`,
    note: 'This page stands in for the platform’s game client. No game starts here.',
  });
}

function faceOf(visit: Visit, askedTable: string | undefined): Face {
  switch (visit.state) {
    case 'open':
      return {
        badge: 'Session open',
        title: placeOf(visit.guest),
        lead: html`<p>Opened for ${bold(visit.guest)}.</p>
          ${otherPlace(visit.guest, askedTable)}`,
        rest: html`${timeLeft(visit)}${sessionDetails(visit.guest)}`,
      };
    case 'token-expired':
      return {
        badge: 'Token expired',
        title: 'The token has expired',
        lead: html`<p>
            The session of ${bold(visit.guest)} is still open, but this address no longer opens it. Open-game
            with the same session id gives another.
          </p>
          ${logInAgain(visit.guest)}`,
        rest: html`${timeLeft({ ...visit, tokenLeftMs: 0 })}${sessionDetails(visit.guest)}`,
      };
    case 'session-expired':
      return {
        badge: 'Session expired',
        title: 'The session has expired',
        lead: html`<p>The session of ${bold(visit.guest)} is over.</p>
          ${logInAgain(visit.guest)}`,
        rest: sessionDetails(visit.guest),
      };
    case 'unknown':
      return {
        badge: 'Session unknown',
        title: 'No session has this token',
        lead: html`<p>
          The address is not complete, its token was replaced by a newer one, or the session ended long ago. A
          reset forgets sessions too, and so does a restart of a sandbox that keeps no file.
        </p>`,
      };
  }
}

function nameOf({ session, player }: Guest): string {
  return player?.nick ?? session.userId;
}

// a name in another script must not change the direction of the words around it
function bold(guest: Guest): Html {
  return html`<strong><bdi>${nameOf(guest)}</bdi></strong>`;
}

function placeOf({ session }: Guest): string {
  return session.tableId === undefined ? 'Lobby' : `Table ${session.tableId}`;
}

/** A session may be opened again for another place; its older URLs still name the first. */
function otherPlace({ session }: Guest, askedTable: string | undefined): Html | undefined {
  if (askedTable === session.tableId?.toString()) return undefined;
  const asked = askedTable === undefined ? 'the lobby' : `table ${askedTable}`;
  return html`<p class="note">
    This address names ${asked}. The table or lobby above is what the session was opened for last.
  </p>`;
}

function logInAgain({ session }: Guest): Html {
  const url = restoreSessionUrl(session.launchOptions);
  return url
    ? html`<p>
        <a class="action" href="${url.href}" rel="noopener noreferrer">Log in again at ${url.host}</a>
      </p>`
    : html`<p class="note">
        The launch options name no <code>restoreSessionUrl</code> on the web where the player could log in
        again.
      </p>`;
}
