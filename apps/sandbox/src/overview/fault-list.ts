import type { StandingRule } from '../faults/fault-rules.ts';
import { html, type Html } from '../pages/html.ts';

const SHOWN = 50;

/** The faults that are on, each with a button that switches it off. */
export function faultList(rules: readonly StandingRule[]): Html {
  if (rules.length === 0) return html`<p class="note">None: the platform has a good day.</p>`;
  const hidden = rules.length - SHOWN;
  return html`<ul class="rows">
      ${rules.slice(0, SHOWN).map(row)}
    </ul>
    ${hidden > 0 ? html`<p class="note">and ${hidden} more</p>` : undefined}
    ${rules.length > 1 ? html`<button type="button" class="plain" id="clear-faults">Switch all off</button>` : undefined}`;
}

function row({ id, operation, remaining, share, fault: { kind, ...members } }: StandingRule): Html {
  const details = Object.entries(members).map(
    ([name, value]) =>
      html` <code>${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}</code>`,
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
