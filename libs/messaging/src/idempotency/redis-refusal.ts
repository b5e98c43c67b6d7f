import { connect as connectInCleartext } from 'node:net';
import { connect } from 'node:tls';

import type { TlsContext } from '#tls';

const DEFAULT_PORT = 6379;
/** Redis refuses a connection at once. */
const WAIT_MS = 250;

/**
 * Why Redis closes every connection, in its own words: it is in protected mode, or has too many clients. It says so before
 * it is asked for anything, and a client that writes at once usually reads only that its connection was reset.
 *
 * @returns an error of the name that ioredis gives to such answers; `undefined` if Redis does not say anything
 */
export async function refusalOf(url: string, tls: TlsContext): Promise<Error | undefined> {
  const { hostname, port, protocol } = new URL(url);
  const address = { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || DEFAULT_PORT };
  const socket =
    protocol === 'rediss:' ? connect({ ...address, ...tls.material }) : connectInCleartext(address);
  let said = '';
  socket.on('data', (bytes) => (said += String(bytes)));
  socket.on('error', () => undefined);
  const timer = setTimeout(() => socket.destroy(), WAIT_MS);
  await new Promise((resolve) => socket.once('close', resolve));
  clearTimeout(timer);
  if (!said.startsWith('-')) return undefined;
  return Object.assign(new Error(said.slice(1).trim()), { name: 'ReplyError' });
}

/** Why Redis cannot be used, without what it repeats of a command that it does not know: perhaps a password. */
export function reasonOf(error: unknown, tls: TlsContext): string {
  return tls.describe(error).replace(/,? with args beginning with.*$/s, '');
}
