import { formParameters, type Parameters, queryParameters, signedText } from '../signature/signature.ts';
import { describeRequest, type FinishedRequest } from '../traffic/traffic-log.ts';
import type { Refusal } from '../traffic/exchange.ts';
import { html, instant, type Html } from './page.ts';

const MAX_CANONICAL = 4_096;
const REDACTED = '[redacted]';
/** Never shown, wherever they were put. */
const SECRET_NAMES = ['sign', 'access-token'];
const BADGES: Readonly<Record<SignatureVerdict['state'], string>> = {
  right: 'signature right',
  wrong: 'signature wrong',
  unsigned: 'not signed',
  unseen: 'not looked at',
};
/** The last requests to the platform, each with its signature explained when it is opened. */
export function requestList(requests: readonly FinishedRequest[]): Html {
  if (requests.length === 0)
    return html`<p class="note">None yet. A worker that has these addresses will be seen here.</p>`;
  return html`<ol class="requests">
    ${requests.map(item)}
  </ol>`;
}

function item(request: FinishedRequest): Html {
  const { operation, method, url, headers, body, status, durationMs, faults } = describeRequest(request);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const sent = [`${method} ${url}`, ...lines, '', body].join('\n').trimEnd();
  const verdict = signatureVerdict(request);
  const hasFailed = status === undefined || status >= 400;
  const id = Math.round(request.exchange.receivedAtMs * 1_000);
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

function explained({ reason, settings = {}, canonical }: SignatureVerdict): Html {
  const changed = Object.entries(settings).map(([name, value]) => html`<code>${name}=${value}</code> `);
  return html`<h3>Signature</h3>
    <p>${reason}</p>
    ${changed.length > 0 ? html`<p>It would be right with ${changed}</p>` : undefined}
    ${canonical === undefined ? undefined : html`<p class="quiet">To be signed, before the secret key:</p>`}
    ${canonical === undefined ? undefined : html`<pre><code>${canonical}</code></pre>`}`;
}

/** What the sandbox made of the signature of a request. It holds no secret key and no digest. */
export interface SignatureVerdict extends Refusal {
  readonly state: 'right' | 'wrong' | 'unsigned' | 'unseen';
}

export function signatureVerdict(request: FinishedRequest): SignatureVerdict {
  const { refusal, call } = request.exchange;
  if (refusal) return { state: 'wrong', ...refusal, ...shown(request, refusal.canonical) };
  if (!call)
    return { state: 'unseen', reason: 'The request was answered before its signature was looked at.' };
  if (call.client.secretKey === undefined)
    return { state: 'unsigned', reason: 'This client has no secret key, so open-game needs no signature.' };
  return {
    state: 'right',
    reason: 'This string and the secret key give the signature.',
    ...shown(request, signedText(call.signed, call.client.conventions)),
  };
}

/** Cut, and without a signature that was sent in the wrong place. */
function shown({ url, headers, exchange }: FinishedRequest, canonical?: string) {
  if (canonical === undefined) return {};
  const sent: Parameters = { ...formParameters(exchange.body.toString()), ...queryParameters(url) };
  const secrets = [...(headers['sign'] ?? []), ...SECRET_NAMES.map((name) => sent[name])];
  const redacted = secrets.reduce<string>(
    (text, secret) =>
      typeof secret === 'string' && secret !== '' ? text.replaceAll(secret, REDACTED) : text,
    canonical,
  );
  const text = redacted.length > MAX_CANONICAL ? `${redacted.slice(0, MAX_CANONICAL)}…` : redacted;
  return { canonical: text };
}
