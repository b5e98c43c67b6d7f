import { requireEncodedCredentials } from './encoded-credentials.ts';
import type { Reader } from './readers.ts';

/** The address of an HTTP proxy; it may hold a user name and a password. */
export const proxyUrl: Reader<string> = (value) => {
  const url = URL.parse(value);
  if (!url || !['http:', 'https:'].includes(url.protocol)) throw new Error('must be an http or https URL');
  if (url.pathname !== '/' || /[?#]/.test(url.href)) throw new Error('must have neither a path nor a query');
  requireEncodedCredentials(url);
  return url.href;
};
