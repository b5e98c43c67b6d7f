import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

import { headersOf, type HttpRequest } from './read-http.ts';

/** Options of curl that describe the request, or whose value must not be taken for the address; with their short names. */
const WITH_VALUE =
  'request:X header:H data:d data-raw data-ascii data-binary data-urlencode json url user:u user-agent:A referer:e cookie:b ' +
  'cookie-jar:c output:o write-out:w max-time:m connect-timeout proxy:x cacert cert:E key resolve form:F';
const FLAGS = 'get:G head:I';
const OPTIONS = Object.fromEntries([...optionsOf('string', WITH_VALUE), ...optionsOf('boolean', FLAGS)]);

/** Reads the request of a `curl` line. @throws Error that says what cannot be read, such as a line that is not of curl */
export function readCurl(line: string): HttpRequest {
  const [program = '', ...args] = shellWords(line.replace(/^\s*\$\s+/, '').trim());
  if (!/(^|\/)curl(\.exe)?$/.test(program)) throw new Error('is not a curl line');
  const settings = { strict: false, allowPositionals: true, tokens: true } as const;
  const { values, tokens } = parseArgs({ args, options: OPTIONS, ...settings });
  const given = tokens.flatMap((token): (readonly [string, string])[] => {
    if (token.kind === 'option-terminator') return [];
    return [[token.kind === 'option' ? token.name : 'url', token.value ?? '']];
  });
  const all = (option: string): string[] => given.flatMap(([name, value]) => (name === option ? value : []));
  if (all('form').length > 0) throw new Error('has a multipart form (-F), which the platform does not take');
  const addresses = all('url');
  const address =
    addresses.find((each) => /^https?:\/\//i.test(each)) ?? addresses.find((each) => /[/.]/.test(each));
  if (address === undefined) throw new Error('names no address');
  const data = given.flatMap(([name, value]) => (/^(data|json$)/.test(name) ? dataOf(name, value) : []));
  const headers = headersOf(all('header'));
  const isJson = all('json').length > 0;
  if (isJson && !headers.has('content-type')) headers.set('content-type', 'application/json');
  const body = data.length === 0 ? undefined : data.join(isJson ? '' : '&');
  const method = all('request').at(-1) ?? (body === undefined || values['get'] ? 'GET' : 'POST');
  if (!values['get'] || body === undefined) return { method, url: address, headers, body };
  return { method, url: `${address}${address.includes('?') ? '&' : '?'}${body}`, headers, body: undefined };
}

function optionsOf(type: 'string' | 'boolean', names: string) {
  return names.split(' ').map((name) => {
    const [long = '', short] = name.split(':');
    return [long, { type, ...(short !== undefined && { short }) }] as const;
  });
}

function dataOf(option: string, value: string): string {
  if (option === 'data-urlencode') {
    const [, name = '', content = ''] = /^([^=]*=)?(.*)$/s.exec(value) ?? [];
    return `${name === '=' ? '' : name}${encodeURIComponent(content)}`;
  }
  if (option === 'data-raw' || !value.startsWith('@')) return value;
  try {
    const content = readFileSync(value.slice(1), 'utf8');
    return option === 'data-binary' ? content : content.replaceAll(/[\r\n]/g, '');
  } catch (cause) {
    const { code = 'unknown' } = cause as NodeJS.ErrnoException;
    throw new Error(`names a file that cannot be read (${code})`, { cause });
  }
}

/** The tokens of a shell; a quote that is not closed comes as one of its own. */
const TOKEN =
  /(?<continued>\\\r?\n)|\\(?<escaped>.?)|\$'(?<ansi>(?:\\.|[^'\\])*)'|'(?<single>[^']*)'|"(?<double>(?:\\.|[^"\\])*)"|(?<open>['"])|(?<end>[|;<>&])|(?<space>\s+)|(?<plain>[^\s\\'"$|;<>&]+|\$)/gs;
/** What browsers write when they copy a request. */
const ANSI_ESCAPE = /\\(?:x([\da-f]{1,2})|u([\da-f]{1,4})|(.))/gis;
const ANSI: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };

/** The words of a line as a shell reads it, without replacing variables, up to a pipe, a redirection or a semicolon. */
export function shellWords(line: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  for (const { groups = {} } of line.matchAll(TOKEN)) {
    const { continued, escaped, ansi, single, double, open, end, space, plain } = groups;
    if (open !== undefined) throw new Error('has a quote that is not closed');
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
