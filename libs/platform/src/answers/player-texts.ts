import { type JsonObject, textAt, UnexpectedDocument } from './document.ts';

/** Where a player may be sent. */
export interface UrlRules {
  /** Whether the platform itself is reached without TLS. */
  readonly mayBeHttp: boolean;
  /** Default: any host. In lower case. */
  readonly hosts?: ReadonlySet<string> | undefined;
}

const MAX_BYTES = 8 * 1024;
/** Control characters, and those that turn the direction of a text, so that it reads as another one. */
const DECEPTIVE = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u;

/** @throws UnexpectedDocument unless the member is a text that can be shown to a player */
export function playerTextAt(object: JsonObject, name: string, where: string): string {
  const text = textAt(object, name, where);
  if (Buffer.byteLength(text) > MAX_BYTES)
    throw new UnexpectedDocument(`${where}/${name} is longer than 8 KiB`);
  if (DECEPTIVE.test(text)) {
    throw new UnexpectedDocument(`${where}/${name} holds control or direction characters`);
  }
  return text;
}

/** @throws UnexpectedDocument unless the member is an address that a player may be sent to */
export function playerUrlAt(object: JsonObject, name: string, where: string, rules: UrlRules): string {
  const text = playerTextAt(object, name, where);
  const url = URL.parse(text);
  const isExpected = url?.protocol === 'https:' || (url?.protocol === 'http:' && rules.mayBeHttp);
  if (!url || !isExpected) throw new UnexpectedDocument(`${where}/${name} is not an https URL`);
  if (rules.hosts && !rules.hosts.has(url.hostname)) {
    throw new UnexpectedDocument(`${where}/${name} leads to a host that is not in PLATFORM_URL_HOSTS`);
  }
  return text;
}
