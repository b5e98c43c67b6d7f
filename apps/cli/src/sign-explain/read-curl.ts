import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

import { headersOf, type HttpRequest } from './read-raw-request.ts';
import { shellWords } from './shell-words.ts';

const text = (short?: string) => ({ type: 'string', multiple: true, ...(short && { short }) }) as const;
const flag = (short?: string) => ({ type: 'boolean', ...(short && { short }) }) as const;

/** What of curl's options says something about the request, or takes a value that is no address. */
const OPTIONS = {
  request: text('X'),
  header: text('H'),
  data: text('d'),
  'data-raw': text(),
  'data-ascii': text(),
  'data-binary': text(),
  'data-urlencode': text(),
  json: text(),
  url: text(),
  get: flag('G'),
  head: flag('I'),
  user: text('u'),
  'user-agent': text('A'),
  referer: text('e'),
  cookie: text('b'),
  'cookie-jar': text('c'),
  output: text('o'),
  'write-out': text('w'),
  'max-time': text('m'),
  'connect-timeout': text(),
  proxy: text('x'),
  cacert: text(),
  cert: text('E'),
  key: text(),
  resolve: text(),
  form: text('F'),
} as const;
const DATA = new Set(['data', 'data-raw', 'data-ascii', 'data-binary', 'data-urlencode', 'json']);

/**
 * Reads the request of a `curl` line.
 *
 * @throws Error with the reason, if it is none, or names what cannot be read
 */
export function readCurl(line: string): HttpRequest {
  const [program = '', ...args] = shellWords(line.trim());
  if (!/(^|\/)curl(\.exe)?$/.test(program)) throw new Error('is not a curl line');
  const { values, tokens } = parseArgs({
    args,
    options: OPTIONS,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  if (values.form !== undefined)
    throw new Error('has a multipart form (-F), which the platform does not take');
  const addresses = tokens.flatMap((token) => {
    if (token.kind === 'positional') return token.value;
    return token.kind === 'option' && token.name === 'url' ? (token.value ?? []) : [];
  });
  const address =
    addresses.find((each) => /^https?:\/\//i.test(each)) ?? addresses.find((each) => /[/.]/.test(each));
  if (address === undefined) throw new Error('names no address');
  const data = tokens.flatMap((token) =>
    token.kind === 'option' && DATA.has(token.name) ? [dataOf(token.name, token.value ?? '')] : [],
  );
  const headers = headersOf((values.header ?? []).map(String));
  if (values.json !== undefined && !headers.has('content-type'))
    headers.set('content-type', 'application/json');
  const body = data.length === 0 ? undefined : data.join(values.json === undefined ? '&' : '');
  const method = values.request?.map(String).at(-1) ?? (body === undefined || values.get ? 'GET' : 'POST');
  if (!values.get || body === undefined) return { method, url: address, headers, body };
  return { method, url: `${address}${address.includes('?') ? '&' : '?'}${body}`, headers, body: undefined };
}

function dataOf(option: string, value: string): string {
  if (option === 'data-urlencode') {
    const at = value.indexOf('=');
    const [name, content] = at < 0 ? ['', value] : [value.slice(0, at), value.slice(at + 1)];
    return `${name === '' ? '' : `${name}=`}${encodeURIComponent(content)}`;
  }
  if (option === 'data-raw' || !value.startsWith('@')) return value;
  try {
    const content = readFileSync(value.slice(1), 'utf8');
    return option === 'data-binary' ? content : content.replaceAll(/[\r\n]/g, '');
  } catch (error) {
    throw new Error(
      `names a file that cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`,
      {
        cause: error,
      },
    );
  }
}
