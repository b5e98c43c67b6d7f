import { formParameters, queryParameters } from '../signature/signature.ts';
import type { Exchange, Verdict } from '../traffic/exchange.ts';
import { describeRequest, hasFailed, REDACTED } from '../traffic/traffic-log.ts';
import { type Html, html, instant } from './page.ts';

const MAX_CANONICAL = 4_096;
const NONE_REFUSED = 'No request was refused.';
const NONE_YET = 'None yet. A worker that has these addresses will be seen here.';

/**
 * Renders the last requests to the platform. Each expands to its signature, the request and the answer.
 *
 * @param origin the origin of the sandbox, for curl
 * @param list distinguishes the elements of two lists
 */
export function requestList(requests: readonly Exchange[], origin: string, list = 'request'): Html {
  if (requests.length === 0) return html`<p class="note">${list === 'refused' ? NONE_REFUSED : NONE_YET}</p>`;
  return html`<ol class="requests">
    ${requests.map((exchange) => requestItem(exchange, origin, list))}
  </ol>`;
}

function requestItem(exchange: Exchange, origin: string, list: string): Html {
  const { operation, method, url, headers, body, status, durationMs, faults, answer } =
    describeRequest(exchange);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const sent = [`${method} ${url}`, ...lines, '', body].join('\n').trimEnd();
  const { receivedAtMs, verdict } = exchange;
  return html`<li>
    <details id="${list}-${Math.round(receivedAtMs * 1_000)}">
      <summary>
        <span class="status ${hasFailed(exchange) ? 'failed' : 'fine'}">${status ?? 'cut off'}</span>
        <strong>${operation}</strong>
        <span class="verdict ${verdict.state}">${verdict.state}</span>
        ${faults.map((fault) => html`<span class="fault">${fault}</span>`)}
        <span class="quiet">${durationMs} ms</span>
        <span class="quiet when">${instant(receivedAtMs)}</span>
      </summary>
      ${explained(exchange)}
      <div class="columns">
        <div>
          <h3>Request</h3>
          <pre><code>${sent}</code></pre>
        </div>
        <div>
          <h3>Answer</h3>
          <pre><code>${answer ? `${answer.contentType}\n\n${answer.body}` : 'none'}</code></pre>
        </div>
      </div>
      <h3>With curl</h3>
      <pre><code>${curlLine(exchange, origin)}</code></pre>
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

/**
 * Returns the request as a shell command. The command computes the signature from the canonical string and
 * the secret key in $SANDBOX_SECRET_KEY, which is not shown.
 */
export function curlLine(exchange: Exchange, origin: string): string {
  const { method, url, headers, body } = describeRequest(exchange);
  const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
  const { canonical } = exchange.verdict;
  const signed = canonical === undefined ? '' : quoted(shownCanonical(exchange, canonical));
  return [
    ...(signed && [`sign=$(printf %s ${signed}"$SANDBOX_SECRET_KEY" | sha256sum | cut -d' ' -f1);`]),
    `curl -X ${method} ${quoted(origin + url)}`,
    ...(headers['content-type'] ? [`-H ${quoted(`content-type: ${headers['content-type']}`)}`] : []),
    ...(signed && ['-H "sign: $sign"']),
    ...(body && [`--data-raw ${quoted(body)}`]),
  ].join(' ');
}

/** Returns a canonical string, truncated, and without a signature or token sent in the wrong place. */
export function shownCanonical({ url, headers, body }: Exchange, canonical: string): string {
  const sent = { ...formParameters(body.toString()), ...queryParameters(url) };
  const secrets = [...(headers['sign'] ?? []), sent['sign'], sent['access-token']];
  const redacted = secrets
    .flatMap((secret) => secret || [])
    .reduce((text, secret) => text.replaceAll(secret, REDACTED), canonical);
  return redacted.length > MAX_CANONICAL ? `${redacted.slice(0, MAX_CANONICAL)}…` : redacted;
}
