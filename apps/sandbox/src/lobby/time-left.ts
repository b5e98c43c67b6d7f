import { clock } from './clock.ts';
import { html, type Html } from '../pages/html.ts';
import { instant } from '../pages/instant.ts';
import type { Guest } from './visit.ts';

/** How long a session and its token still last, and when they end. */
export interface TimeLeft {
  readonly guest: Guest;
  readonly sessionLeftMs: number;
  /** 0: it has expired. */
  readonly tokenLeftMs: number;
}

/** Shows the remaining time; countdown.js updates it. */
export function timeLeft({ guest, sessionLeftMs, tokenLeftMs }: TimeLeft): Html {
  const { createdAtMs, expiresAtMs, authExpiresAtMs } = guest.session;
  const tokenEndsAtMs = Math.min(authExpiresAtMs, expiresAtMs);
  return html`<section aria-labelledby="time-left">
    <h2 id="time-left">Time left</h2>
    <div class="timers">
      ${timer('session', 'Session', sessionLeftMs, expiresAtMs - createdAtMs, expiresAtMs)}
      ${timer('token', 'Token', tokenLeftMs, tokenEndsAtMs - createdAtMs, tokenEndsAtMs)}
    </div>
  </section>`;
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
