import { formParameters, queryParameters } from '../signature/signature.ts';
import type { Exchange, Verdict } from '../traffic/exchange.ts';
import { describeRequest, REDACTED } from '../traffic/traffic-log.ts';
import { html, instant, type Html } from './page.ts';

const MAX_CANONICAL = 4_096;

/** The last requests to the platform, each with its signature explained when it is opened. */
export function requestList(requests: readonly Exchange[]): Html {
  if (requests.length === 0)
    return html`<p class="note">None yet. A worker that has these addresses will be seen here.</p>`;
  return html`<ol class="requests">
    ${requests.map(item)}
  </ol>`;
}

function item(exchange: Exchange): Html {
  const { operation, method, url, headers, body, status, durationMs, faults } = describeRequest(exchange);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const sent = [`${method} ${url}`, ...lines, '', body].join('\n').trimEnd();
  const { receivedAtMs, verdict } = exchange;
  const hasFailed = status === undefined || status >= 400;
  return html`<li>
    <details id="request-${Math.round(receivedAtMs * 1_000)}">
      <summary>
        <span class="status ${hasFailed ? 'failed' : 'fine'}">${status ?? 'cut off'}</span>
        <strong>${operation}</strong>
        <span class="verdict ${verdict.state}">${verdict.state}</span>
        ${faults.map((fault) => html`<span class="fault">${fault}</span>`)}
        <span class="quiet">${durationMs} ms</span>
        <span class="quiet when">${instant(receivedAtMs)}</span>
      </summary>
      ${explained(exchange)}
      <h3>Request</h3>
      <pre><code>${sent}</code></pre>
    </details>
  </li>`;
}

function explained(exchange: Exchange): Html {
  const { reason, settings = {}, canonical }: Verdict = exchange.verdict;
  const changed = Object.entries(settings).map(([name, value]) => html`<code>${name}=${value}</code> `);
  return html`<h3>Signature</h3>
    <p>${reason}</p>
    ${changed.length > 0 && html`<p>It would be right with ${changed}</p>`}
    ${
      canonical !== undefined &&
      html`<p class="quiet">To be signed, before the secret key:</p>
        <pre><code>${shownCanonical(exchange, canonical)}</code></pre>`
    }`;
}

/** A canonical string, cut, and without a signature or a token that was sent in the wrong place. */
export function shownCanonical({ url, headers, body }: Exchange, canonical: string): string {
  const sent = { ...formParameters(body.toString()), ...queryParameters(url) };
  const secrets = [...(headers['sign'] ?? []), sent['sign'], sent['access-token']];
  const redacted = secrets
    .flatMap((secret) => secret || [])
    .reduce((text, secret) => text.replaceAll(secret, REDACTED), canonical);
  return redacted.length > MAX_CANONICAL ? `${redacted.slice(0, MAX_CANONICAL)}…` : redacted;
}
