import { Html, html } from '../pages/html.ts';
import { page } from '../pages/page.ts';
import { faultForm } from './fault-form.ts';
import type { Parts } from './overview.ts';

/** The first page: what happens in the sandbox now, with a form for faults. live.js keeps it up to date. */
export function overviewPage(parts: Parts, address: string, clientId: string): string {
  const live = (name: keyof Parts): Html => html`<div data-part="${name}">${new Html(parts[name])}</div>`;
  return page({
    title: 'Poker sandbox',
    styles: ['/overview/overview.css'],
    script: '/overview/live.js',
    status: html`<p id="live" role="status">as it was loaded</p>`,
    main: html`<div class="hero">
        <h1>The platform’s side</h1>
        <p>Signed requests come in at <code>${address}</code> for the client <code>${clientId}</code>.</p>
        ${live('figures')}
      </div>
      <section aria-labelledby="faults">
        <h2 id="faults">Faults</h2>
        ${live('faults')} ${faultForm()}
      </section>
      <section aria-labelledby="requests">
        <h2 id="requests">Last requests</h2>
        ${live('requests')}
      </section>
      <div class="columns">
        <section aria-labelledby="sessions">
          <h2 id="sessions">Sessions</h2>
          ${live('sessions')}
        </section>
        <section aria-labelledby="players">
          <h2 id="players">Players</h2>
          ${live('players')}
        </section>
      </div>`,
    note: 'Secret keys, signatures and tokens are never shown here.',
  });
}
