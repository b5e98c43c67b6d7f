import { html, type Html } from '../pages/html.ts';
import { instant } from '../pages/instant.ts';
import type { Player } from '../archive/player.ts';
import type { Session } from '../archive/session.ts';

/** The sessions that were opened last; never their tokens, nor the URLs that hold them. */
export function sessionList(
  sessions: readonly Session[],
  count: number,
  playerOf: (session: Session) => Player | undefined,
  nowMs: number,
): Html {
  if (count === 0) return html`<p class="note">None is open.</p>`;
  const rows = sessions.map((session) => {
    const { userId, tableId, lang, authExpiresAtMs, expiresAtMs } = session;
    const place = tableId === undefined ? 'in the lobby' : `at table ${tableId}`;
    const token = authExpiresAtMs <= nowMs ? 'token expired' : 'token valid';
    return html`<li>
      <span
        ><strong><bdi>${playerOf(session)?.nick ?? userId}</bdi></strong> ${place}</span
      >
      <span class="quiet">${lang}, ${token}, open until ${instant(expiresAtMs)}</span>
    </li>`;
  });
  return listOf(rows, count);
}

/** The players who came last. */
export function playerList(players: readonly Player[], count: number): Html {
  if (count === 0) return html`<p class="note">None yet.</p>`;
  const rows = players.map(({ clientId, userId, nick, currency }) => {
    const facts = [userId, currency, clientId].filter(Boolean).join(', ');
    return html`<li>
      <strong><bdi>${nick ?? userId}</bdi></strong>
      <span class="quiet"><bdi>${facts}</bdi></span>
    </li>`;
  });
  return listOf(rows, count);
}

function listOf(rows: readonly Html[], count: number): Html {
  return html`<ul class="rows">
      ${rows}
    </ul>
    ${count > rows.length ? html`<p class="note">and ${count - rows.length} more</p>` : undefined}`;
}
