import { parseArgs } from 'node:util';

import { usageError } from '../exit.ts';
import { parseJson, readSource } from '../input.ts';

export interface HttpRequest {
  readonly method: string;
  /** An absolute URL, or path and query only. */
  readonly url: string;
  /** Headers by lower-case name. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string | undefined;
}

export type Json = Readonly<Record<string, unknown>>;

export const REQUEST_LINE = /^\s*([A-Z]+) (\S+)(?: HTTP\/[\d.]+)?[ \t\r]*(?:\n|$)/;
/** Options of curl, with their short names, that describe the request or have a value. */
const WITH_VALUE =
  'request:X header:H data:d data-raw data-ascii data-binary data-urlencode json url user:u user-agent:A referer:e cookie:b ' +
  'cookie-jar:c output:o write-out:w max-time:m connect-timeout proxy:x cacert cert:E key resolve form:F';
const CURL_OPTIONS = Object.fromEntries(
  [...WITH_VALUE.split(' '), 'get:G'].map((name) => {
    const [long = '', short] = name.split(':');
    const type = long === 'get' ? ('boolean' as const) : ('string' as const);
    return [long, { type, ...(short !== undefined && { short }) }];
  }),
);

/** Parses a raw HTTP request. @throws ExitError if the text is not one */
export function readRawRequest(text: string): HttpRequest {
  const [, head = '', rest = ''] = /^\s*(.*?)(?:\r?\n\r?\n(.*))?$/s.exec(text) ?? [];
  const [first = '', ...lines] = head.split(/\r?\n/);
  const [, method, url] = REQUEST_LINE.exec(first) ?? [];
  if (method === undefined || url === undefined) {
    throw usageError(
      'the request does not start with a request line such as POST /v2/app/users/u-1/session?clientId=op1 HTTP/1.1',
    );
  }
  const headers = headersOf(lines);
  const length = Number(headers.get('content-length') ?? Number.NaN);
  // Editors add a line break at the end of a file.
  const body = Number.isNaN(length)
    ? rest.replace(/\r?\n$/, '')
    : Buffer.from(rest).subarray(0, length).toString();
  return { method, url, headers, body: body || undefined };
}

function headersOf(lines: readonly string[]): Map<string, string> {
  const headers = new Map<string, string>();
  for (const line of lines) {
    const [, name, value = ''] = /^([^:\s]+)\s*[:;](.*)$/.exec(line) ?? [];
    if (name !== undefined) headers.set(name.toLowerCase(), value.trim());
  }
  return headers;
}

/** Reads the requests to the platform in an HTTP archive (HAR 1.2). @throws ExitError if it has none */
export function readHar(text: string): HttpRequest[] {
  const archive = parseJson(text, 'the archive') as { log?: { entries?: unknown } } | null;
  const entries = archive?.log?.entries;
  if (!Array.isArray(entries)) throw usageError('the archive is not HAR: it has no log.entries');
  const requests = (entries as ({ request?: Json } | null)[]).flatMap((entry) =>
    entry?.request ? [requestOf(entry.request)] : [],
  );
  const signed = requests.filter(
    ({ url, headers }) => headers.has('sign') || /\/(apiweb\/v3|v2\/app)\//.test(url),
  );
  if (signed.length > 0) return signed;
  throw usageError(`the archive holds no request to the platform among ${requests.length}`);
}

function requestOf({ method, url, headers, postData }: Json): HttpRequest {
  const { text, params } = Object(postData) as Json;
  // Some programs write the decoded fields of a form instead of its text.
  const form = new URLSearchParams(pairsOf(params)).toString();
  const body = typeof text === 'string' && text !== '' ? text : form;
  return {
    method: String(method),
    url: String(url),
    headers: new Map(pairsOf(headers).map(([name, value]) => [name.toLowerCase(), value])),
    body: body || undefined,
  };
}

function pairsOf(list: unknown): [string, string][] {
  if (!Array.isArray(list)) return [];
  return list.map((pair: unknown) => {
    const { name, value } = Object(pair) as Json;
    return [String(name), typeof value === 'string' ? value : ''];
  });
}

/** Parses the request of a `curl` line. @throws ExitError with the reason if it cannot be parsed */
export async function readCurl(line: string): Promise<HttpRequest> {
  const [program = '', ...args] = shellWords(line.replace(/^\s*\$\s+/, '').trim());
  if (!/(^|\/)curl(\.exe)?$/.test(program)) throw usageError('the line is not a curl line');
  const settings = { strict: false, allowPositionals: true, tokens: true } as const;
  const { values, positionals, tokens } = parseArgs({ args, options: CURL_OPTIONS, ...settings });
  const given = tokens.filter((token) => token.kind === 'option');
  const all = (option: string) => given.flatMap(({ name, value = '' }) => (name === option ? value : []));
  if (all('form').length > 0) {
    throw usageError('the curl line has a multipart form (-F), which the platform does not take');
  }
  const addresses = [...all('url'), ...positionals];
  const url =
    addresses.find((each) => /^https?:\/\//i.test(each)) ?? addresses.find((each) => /[/.]/.test(each));
  if (url === undefined) throw usageError('the curl line names no address');
  const data: string[] = [];
  for (const { name, value = '' } of given)
    if (/^(data|json$)/.test(name)) data.push(await dataOf(name, value));
  const headers = headersOf(all('header'));
  const isJson = all('json').length > 0;
  if (isJson && !headers.has('content-type')) headers.set('content-type', 'application/json');
  const body = data.length === 0 ? undefined : data.join(isJson ? '' : '&');
  const method = all('request').at(-1) ?? (body === undefined || values['get'] ? 'GET' : 'POST');
  if (!values['get'] || body === undefined) return { method, url, headers, body };
  return { method, url: `${url}${url.includes('?') ? '&' : '?'}${body}`, headers, body: undefined };
}

async function dataOf(option: string, value: string): Promise<string> {
  if (option === 'data-urlencode') {
    const [, name = '', content = ''] = /^([^=]*=)?(.*)$/s.exec(value) ?? [];
    return `${name === '=' ? '' : name}${encodeURIComponent(content)}`;
  }
  if (option === 'data-raw' || !value.startsWith('@')) return value;
  const content = await readSource(value.slice(1));
  return option === 'data-binary' ? content : content.replaceAll(/[\r\n]/g, '');
}

/** The tokens of a shell. An unclosed quote is a token of its own. */
const TOKEN =
  /(?<continued>\\\r?\n)|\\(?<escaped>.?)|\$'(?<ansi>(?:\\.|[^'\\])*)'|'(?<single>[^']*)'|"(?<double>(?:\\.|[^"\\])*)"|(?<open>['"])|(?<end>[|;<>&])|(?<space>\s+)|(?<plain>[^\s\\'"$|;<>&]+|\$)/gs;
/** ANSI-C escapes, as browsers write them when they copy a request. */
const ANSI_ESCAPE = /\\(?:x([\da-f]{1,2})|u([\da-f]{1,4})|(.))/gis;
const ANSI: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };

/**
 * Splits a line into words as a shell does, without expanding variables, up to a pipe, redirection or
 * semicolon.
 */
export function shellWords(line: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  for (const { groups = {} } of line.matchAll(TOKEN)) {
    const { continued, escaped, ansi, single, double, open, end, space, plain } = groups;
    if (open !== undefined) throw usageError('the curl line has a quote that is not closed');
    if (end !== undefined) break;
    if (space !== undefined) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (continued === undefined) {
      const quoted = double?.replace(/\\(?:\n|(["\\$`]))/g, '$1') ?? ansi?.replace(ANSI_ESCAPE, ansiText);
      word = (word ?? '') + (quoted ?? single ?? escaped ?? plain ?? '');
    }
  }
  return word === undefined ? words : [...words, word];
}

function ansiText(_: string, x?: string, u?: string, letter = ''): string {
  const hex = x ?? u;
  return hex === undefined ? (ANSI[letter] ?? letter) : String.fromCodePoint(Number.parseInt(hex, 16));
}
