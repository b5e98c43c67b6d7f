import type { Reader } from './readers.ts';

const HOST_NAME = /^[a-z0-9._-]+$/;

/** The address of a broker. */
export const amqpUrl: Reader<string> = (value) => {
  parse(value, ['amqp:', 'amqps:'], 'amqp or amqps URLs, comma separated');
  return value;
};

/** The name of a host, in lower case; no port. */
export const hostName: Reader<string> = (value) => {
  const name = value.toLowerCase();
  if (!HOST_NAME.test(name) || URL.parse(`https://${name}`)?.hostname !== name) {
    throw new Error('must be host names, comma separated');
  }
  return name;
};

/** The root of an HTTP service, without a slash at its end. */
export const httpRoot: Reader<string> = (value) => {
  const url = parse(value, ['http:', 'https:'], 'an http or https URL');
  if (url.username || url.password) throw new Error('must not hold credentials');
  // Not even an empty one: it would swallow the path that is appended to the root.
  if (/[?#]/.test(url.href)) throw new Error('must have neither a query nor a fragment');
  return url.href.replace(/\/+$/, '');
};

/** The address of an HTTP proxy; it may hold a user name and a password. */
export const proxyUrl: Reader<string> = (value) => {
  const url = parse(value, ['http:', 'https:'], 'an http or https URL');
  if (url.pathname !== '/' || /[?#]/.test(url.href)) throw new Error('must have neither a path nor a query');
  return withEncodedCredentials(url);
};

/** The address of one Redis server, optionally with the number of a database as its path. */
export const redisUrl: Reader<string> = (value) => {
  const url = parse(value, ['redis:', 'rediss:'], 'a redis or rediss URL');
  if (!url.hostname) throw new Error('must be a redis or rediss URL');
  if (!/^(\/\d{0,5})?$/.test(url.pathname)) throw new Error('must have no path but the number of a database');
  if (url.search || url.hash) throw new Error('must have neither a query nor a fragment');
  return withEncodedCredentials(url);
};

function parse(value: string, protocols: readonly string[], what: string): URL {
  const url = URL.parse(value);
  if (!url || !protocols.includes(url.protocol)) throw new Error(`must be ${what}`);
  return url;
}

function withEncodedCredentials({ username, password, href }: URL): string {
  try {
    decodeURIComponent(username + password);
    return href;
  } catch {
    throw new Error('must have its user name and password percent-encoded');
  }
}
