import { Injectable } from '@nestjs/common';
import { distinctUntilChanged, map, shareReplay, timer } from 'rxjs';

import { FaultRules, type StandingRule } from '../faults/fault-rules.ts';
import { FAULTS } from '../faults/faults.ts';
import { asText, OPERATIONS } from '../interface/documents.ts';
import type { Shape } from '../interface/members.ts';
import { type Player, Players } from '../players/players.ts';
import { type Session, Sessions } from '../sessions/sessions.ts';
import { Settings } from '../settings/settings.ts';
import { TrafficLog } from '../traffic/traffic-log.ts';
import { type Html, html, instant, page, section } from './page.ts';
import { requestList } from './request-list.ts';

const LOOK_MS = 300;
const SHOWN_FAULTS = 50;
const SHOWN_PEOPLE = 10;
const SHOWN_REQUESTS = 30;
const LENIENT =
  'It is lenient, as the real platform is: v2 takes parameters in the query, a JSON body, and a form without userId. ' +
  'The interface document does not show that.';

type Parts = ReturnType<Overview['parts']>;

/** The current state of the sandbox, for its first page. */
@Injectable()
export class Overview {
  /** Emits the parts as JSON, immediately and after each change, rendered once for all open pages. */
  readonly changes = timer(0, LOOK_MS).pipe(
    map(() => JSON.stringify(this.parts())),
    distinctUntilChanged(),
    shareReplay({ bufferSize: 1, refCount: true }),
  );

  constructor(
    private readonly faults: FaultRules,
    private readonly log: TrafficLog,
    private readonly players: Players,
    private readonly sessions: Sessions,
    private readonly settings: Settings,
  ) {}

  parts() {
    const [sessions, players] = [this.sessions.all(), this.players.all()];
    const playerOf = ({ clientId, userId }: Session) => this.players.find(clientId, userId);
    const sessionItems = newest(sessions).map((session) => sessionItem(session, playerOf(session)));
    return {
      figures: figures(this.log.counters),
      faults: faultList([...this.faults.rules.values()]),
      requests: requestList(this.log.newest(SHOWN_REQUESTS), this.settings.publicUrl),
      refused: requestList(this.log.newestFailed(), this.settings.publicUrl, 'refused'),
      sessions: listOf(sessionItems, sessions.length, 'None is open.'),
      players: listOf(newest(players).map(playerItem), players.length, 'None yet.'),
    };
  }
}

function newest<T>(items: readonly T[]): readonly T[] {
  return items.slice(-SHOWN_PEOPLE).reverse();
}

/** Renders the first page: the current state of the sandbox, with a form for faults. live.js updates it. */
export function overviewPage(
  parts: Parts,
  address: string,
  clientId: string,
  { profile, isLenient }: Pick<Settings, 'profile' | 'isLenient'>,
): string {
  const live = (name: keyof Parts): Html =>
    html`<div data-part="${name}" ${name === 'refused' && html`hidden`}>${parts[name]}</div>`;
  return page({
    title: 'Poker sandbox',
    script: '/assets/live.js',
    status: html`<p id="live" role="status">as it was loaded</p>`,
    main: html`<div class="hero">
        <h1>The platform’s side</h1>
        <p>Signed requests come in at <code>${address}</code> for the client <code>${clientId}</code>.</p>
        ${profile === 'real' && html`<p>It answers as the real platform does (<code>SANDBOX_PROFILE=real</code>).</p>`}
        ${isLenient && html`<p>${LENIENT}</p>`} ${live('figures')}
      </div>
      ${section('faults', 'Faults', html`${live('faults')} ${faultForm()}`)}
      ${section('requests', 'Last requests', html`${tools()} ${live('requests')} ${live('refused')}`)}
      <div class="columns">
        ${section('sessions', 'Sessions', live('sessions'))} ${section('players', 'Players', live('players'))}
      </div>`,
    note: 'Secret keys, signatures and tokens are never shown here.',
  });
}

function figures(counters: TrafficLog['counters']): Html {
  return html`<div class="figures">
    ${Object.entries(counters).map(([operation, { received, answered, unanswered }]) => {
      const refused = Object.entries(answered)
        .filter(([status]) => Number(status) >= 400)
        .map(([status, count]) => `${count} × ${status}`);
      const rest = [...refused, ...(unanswered > 0 ? [`${unanswered} cut off`] : [])];
      return html`<p>
        <span class="count">${received}</span> ${operation}
        <span class="quiet">${rest.join(', ')}</span>
      </p>`;
    })}
  </div>`;
}

function faultList(rules: readonly StandingRule[]): Html {
  const items = rules.slice(0, SHOWN_FAULTS).map(faultItem);
  return html`${listOf(items, rules.length, 'None: the platform has a good day.')}
  ${rules.length > 1 && html`<button type="button" class="plain" id="clear-faults">Switch all off</button>`}`;
}

function faultItem({ id, operation, remaining, share, fault: { kind, ...members } }: StandingRule): Html {
  const details = Object.entries(members).map(
    ([name, value]) => html` <code>${name}: ${asText(value)}</code>`,
  );
  return html`<li>
    <span>
      <strong>${kind}</strong>${details}
      <span class="quiet">${operation ?? 'every operation'}${reach(remaining, share)}</span>
    </span>
    <button type="button" class="plain" id="fault-${id}" data-fault="${id}" aria-label="Switch off ${kind}">
      Switch off
    </button>
  </li>`;
}

function reach(remaining: number | undefined, share: number | undefined): string {
  const part = share === undefined ? '' : `, ${Math.round(share * 1_000) / 10} % of requests`;
  if (remaining === undefined) return part;
  return `${part}, ${remaining} more ${remaining === 1 ? 'request' : 'requests'}`;
}

/** Renders the controls that pause and filter the requests. They need live.js, which makes them visible. */
function tools(): Html {
  return html`<div id="tools" class="tools" hidden>
    <button type="button" class="plain" id="pause" aria-pressed="false">Pause</button>
    <label class="choice"><input type="checkbox" id="only-refused" /> refused only</label>
  </div>`;
}

/** Renders the most recently opened sessions, never with their tokens or the URLs that contain them. */
function sessionItem(session: Session, player: Player | undefined): Html {
  const { userId, tableId, lang, authExpiresAtMs, expiresAtMs } = session;
  const place = tableId === undefined ? 'in the lobby' : `at table ${tableId}`;
  const token = authExpiresAtMs <= Date.now() ? 'token expired' : 'token valid';
  return html`<li>
    <span
      ><strong><bdi>${player?.nick ?? userId}</bdi></strong> ${place}</span
    >
    <span class="quiet">${lang}, ${token}, open until ${instant(expiresAtMs)}</span>
  </li>`;
}

function playerItem({ clientId, userId, nick, currency }: Player): Html {
  return html`<li>
    <strong><bdi>${nick ?? userId}</bdi></strong>
    <span class="quiet"><bdi>${[userId, currency, clientId].filter(Boolean).join(', ')}</bdi></span>
  </li>`;
}

function listOf(rows: readonly Html[], count: number, none: string): Html {
  if (count === 0) return html`<p class="note">${none}</p>`;
  return html`<ul class="rows">
      ${rows}
    </ul>
    ${count > rows.length && html`<p class="note">and ${count - rows.length} more</p>`}`;
}

/** Renders the form that switches a fault on. live.js sends it to the control API. */
function faultForm(): Html {
  const kinds = Object.entries(FAULTS);
  return html`<form id="fault-form">
    <label>
      The platform
      <select name="kind">
        ${kinds.map(([kind, { label }]) => html`<option value="${kind}">${label}</option>`)}
      </select>
    </label>
    ${kinds.map(([kind, { members }]) => html`<fieldset data-kind="${kind}" hidden disabled>${fields(members)}</fieldset>`)}
    <label>
      For
      <select name="operation">
        <option value="">every operation</option>
        ${OPERATIONS.map((operation) => html`<option>${operation}</option>`)}
      </select>
    </label>
    <label>Requests <input name="count" type="number" min="1" placeholder="all" /></label>
    <button type="submit">Switch on</button>
    <p id="fault-error" class="error" role="alert"></p>
  </form>`;
}

/** The form has fields for string and number members. */
function fields(members: Shape): readonly Html[] {
  return Object.entries(members).map(([name, { shown }]) => {
    if (typeof shown !== 'string' && typeof shown !== 'number') return html``;
    const type = typeof shown === 'number' && html`type="number" step="any"`;
    return html`<label>
      ${name} <input name="${name}" value="${shown}" ${type} ${shown !== '' && html`required`} />
    </label>`;
  });
}
