import { html, type Html } from './html.ts';

/** Formats a time, to the second, in UTC. */
export function instant(ms: number): Html {
  const iso = new Date(ms).toISOString();
  return html`<time datetime="${iso}">${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC</time>`;
}
