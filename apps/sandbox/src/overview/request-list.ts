import { html, type Html } from '../pages/html.ts';
import { instant } from '../pages/instant.ts';
import { describeRequest, type FinishedRequest } from '../traffic/describe-request.ts';
import { signatureVerdict, type SignatureVerdict } from './signature-verdict.ts';

const BADGES: Readonly<Record<SignatureVerdict['state'], string>> = {
  right: 'signature right',
  wrong: 'signature wrong',
  unsigned: 'not signed',
  unseen: 'not looked at',
};

/** Requests do not change once they have ended, so each is written once, under a number of its own. */
const written = new WeakMap<FinishedRequest, Html>();
let number = 0;

/** The last requests to the platform, each with its signature explained when it is opened. */
export function requestList(requests: readonly FinishedRequest[]): Html {
  if (requests.length === 0)
    return html`<p class="note">None yet. A worker that has these addresses will be seen here.</p>`;
  return html`<ol class="requests">
    ${requests.map(item)}
  </ol>`;
}

function item(request: FinishedRequest): Html {
  const known = written.get(request);
  if (known) return known;
  const made = write(request, (number += 1));
  written.set(request, made);
  return made;
}

function write(request: FinishedRequest, id: number): Html {
  const { operation, method, url, headers, body, status, durationMs, faults } = describeRequest(request);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const sent = [`${method} ${url}`, ...lines, '', body].join('\n').trimEnd();
  const verdict = signatureVerdict(request);
  const hasFailed = status === undefined || status >= 400;
  return html`<li>
    <details id="request-${id}">
      <summary>
        <span class="status ${hasFailed ? 'failed' : 'fine'}">${status ?? 'cut off'}</span>
        <strong>${operation}</strong>
        <span class="verdict ${verdict.state}">${BADGES[verdict.state]}</span>
        ${faults.map((fault) => html`<span class="fault">${fault}</span>`)}
        <span class="quiet">${durationMs} ms</span>
        <span class="quiet when">${instant(request.exchange.receivedAtMs)}</span>
      </summary>
      ${explained(verdict)}
      <h3>Request</h3>
      <pre><code>${sent}</code></pre>
    </details>
  </li>`;
}

function explained({ text, settings = {}, canonical }: SignatureVerdict): Html {
  const changed = Object.entries(settings).map(([name, value]) => html`<code>${name}=${value}</code> `);
  return html`<h3>Signature</h3>
    <p>${text}</p>
    ${changed.length > 0 ? html`<p>It would be right with ${changed}</p>` : undefined}
    ${canonical === undefined ? undefined : html`<p class="quiet">To be signed, before the secret key:</p>`}
    ${canonical === undefined ? undefined : html`<pre><code>${canonical}</code></pre>`}`;
}
