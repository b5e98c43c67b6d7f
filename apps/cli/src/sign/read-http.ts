import { jsonFault } from '../input.ts';

export interface HttpRequest {
  readonly method: string;
  /** Absolute, or its path and query alone. */
  readonly url: string;
  /** By names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string | undefined;
}

type Json = Readonly<Record<string, unknown>>;

/** A line of method and path, at the beginning of a text. */
export const REQUEST_LINE = /^\s*([A-Z]+) (\S+)(?: HTTP\/[\d.]+)?[ \t\r]*(?:\n|$)/;

/** Reads a request as it is on the wire. @throws Error with the reason, if the text is no such request */
export function readRawRequest(text: string): HttpRequest {
  const [, head = '', rest = ''] = /^\s*(.*?)(?:\r?\n\r?\n(.*))?$/s.exec(text) ?? [];
  const [first = '', ...lines] = head.split(/\r?\n/);
  const [, method, url] = REQUEST_LINE.exec(first) ?? [];
  if (method === undefined || url === undefined) {
    throw new Error(
      'does not begin with a request line, such as POST /v2/app/users/u-1/session?clientId=op1 HTTP/1.1',
    );
  }
  const headers = headersOf(lines);
  const length = Number(headers.get('content-length') ?? Number.NaN);
  // Editors add a line break at the end of a file.
  const body = Number.isNaN(length)
    ? rest.replace(/\r?\n$/, '')
    : Buffer.from(rest).subarray(0, length).toString();
  return { method, url, headers, body: body === '' ? undefined : body };
}

/** Headers by names in lower case, from lines such as `Name: value`. */
export function headersOf(lines: readonly string[]): Map<string, string> {
  const found = lines.map((line) => /^([^:\s]+)\s*[:;](.*)$/.exec(line) ?? []);
  return new Map(
    found.flatMap(([, name, value = '']) =>
      name === undefined ? [] : [[name.toLowerCase(), value.trim()] as const],
    ),
  );
}

/** Reads the requests to the platform in an HTTP archive (HAR 1.2). @throws Error with the reason, if it has none */
export function readHar(text: string): HttpRequest[] {
  const fault = jsonFault(text);
  if (fault !== undefined) throw new Error(fault);
  const archive = JSON.parse(text) as { log?: { entries?: unknown } } | null;
  const entries = archive?.log?.entries;
  if (!Array.isArray(entries)) throw new Error('is not an HTTP archive: it has no log.entries');
  const requests = (entries as ({ request?: Json } | null)[]).flatMap((entry) =>
    entry?.request ? [requestOf(entry.request)] : [],
  );
  const signed = requests.filter(
    ({ url, headers }) => headers.has('sign') || /\/(apiweb\/v3|v2\/app)\//.test(url),
  );
  if (signed.length === 0) throw new Error(`holds no request to the platform among ${requests.length}`);
  return signed;
}

function requestOf({ method, url, headers, postData }: Json): HttpRequest {
  const { text, params } = (postData ?? {}) as { text?: unknown; params?: unknown };
  // Some write a form's fields and not its text; they are decoded already.
  const form = new URLSearchParams(pairsOf(params)).toString();
  const body = typeof text === 'string' && text !== '' ? text : form;
  return {
    method: String(method),
    url: String(url),
    headers: new Map(pairsOf(headers).map(([name, value]) => [name.toLowerCase(), value])),
    body: body === '' ? undefined : body,
  };
}

function pairsOf(list: unknown): [string, string][] {
  if (!Array.isArray(list)) return [];
  return (list as Json[]).map(({ name, value }) => [String(name), typeof value === 'string' ? value : '']);
}
