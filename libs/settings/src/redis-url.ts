import { requireEncodedCredentials } from './encoded-credentials.ts';
import type { Reader } from './readers.ts';

/** The address of one Redis server, optionally with the number of a database as its path. */
export const redisUrl: Reader<string> = (value) => {
  const url = URL.parse(value);
  if (!url?.hostname || !['redis:', 'rediss:'].includes(url.protocol)) {
    throw new Error('must be a redis or rediss URL');
  }
  if (!/^(\/\d{0,5})?$/.test(url.pathname)) throw new Error('must have no path but the number of a database');
  if (url.search || url.hash) throw new Error('must have neither a query nor a fragment');
  requireEncodedCredentials(url);
  return url.href;
};
