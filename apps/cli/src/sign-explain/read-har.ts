import { jsonFault } from '../input/json.ts';
import type { HttpRequest } from './read-raw-request.ts';

type Json = Readonly<Record<string, unknown>>;

/**
 * Reads the signed requests of an HTTP archive (HAR 1.2), as browsers and proxies save them.
 *
 * @throws Error with the reason, if it is none, or holds no such request
 */
export function readHar(text: string): HttpRequest[] {
  const fault = jsonFault(text);
  if (fault !== undefined) throw new Error(fault);
  const archive = JSON.parse(text) as { log?: { entries?: unknown } } | null;
  const entries = archive?.log?.entries;
  if (!Array.isArray(entries)) throw new Error('is not an HTTP archive: it has no log.entries');
  const requests = (entries as { request?: Json }[]).flatMap(({ request }) =>
    request ? [requestOf(request)] : [],
  );
  const signed = requests.filter(
    ({ url, headers }) => headers.has('sign') || /\/(apiweb\/v3|v2\/app)\//.test(url),
  );
  if (signed.length === 0) throw new Error(`holds no request to the platform among ${requests.length}`);
  return signed;
}

function requestOf({ method, url, headers, postData }: Json): HttpRequest {
  const { text, params } = (postData ?? {}) as { text?: unknown; params?: unknown };
  return {
    method: String(method),
    url: String(url),
    headers: new Map(pairsOf(headers).map(([name, value]) => [name.toLowerCase(), value])),
    body: typeof text === 'string' && text !== '' ? text : formOf(params),
  };
}

/** Some write a form's fields and not its text; they are decoded already. */
function formOf(params: unknown): string | undefined {
  const pairs = pairsOf(params);
  return pairs.length === 0 ? undefined : new URLSearchParams(pairs).toString();
}

function pairsOf(list: unknown): [string, string][] {
  if (!Array.isArray(list)) return [];
  return (list as Json[]).map(({ name, value }) => [String(name), typeof value === 'string' ? value : '']);
}
