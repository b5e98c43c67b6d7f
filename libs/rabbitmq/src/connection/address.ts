/** The user and password if the address has none. */
const GUEST = 'guest';
const NOT_AMQP = 'must be amqp or amqps URLs, comma separated';
const NOT_ENCODED =
  'must have characters such as # % / ? @ and , of its user, password and virtual host percent-encoded (# is %23)';

/** The parts of a broker's address, decoded. */
export interface BrokerAddress {
  readonly url: URL;
  readonly user: string;
  readonly password: string;
  /** Default: `/`. */
  readonly virtualHost: string;
}

/**
 * Reads the address of one node, in the same way as the Python client.
 *
 * @throws TypeError whose message completes "the address …" and omits the address, because it may contain a
 *   password
 */
export function readAddress(address: string): BrokerAddress {
  const url = URL.parse(address);
  if (!/^amqps?:\/\//i.test(address) || (!url && !address.includes('@'))) throw new TypeError(NOT_AMQP);
  const { username = '', password = '', pathname = '', search = '' } = url ?? {};
  const hasCredentials = username !== '' || password !== '';
  // A raw slash or question mark ends the host, so that the rest of the credentials is parsed as path or
  // query.
  const isMisread = search.includes('@') || (!hasCredentials && pathname.includes('@'));
  if (!url || address.includes('#') || isMisread) throw new TypeError(NOT_ENCODED);
  try {
    return {
      url,
      user: hasCredentials ? decodeURIComponent(username) : GUEST,
      password: hasCredentials ? decodeURIComponent(password) : GUEST,
      virtualHost: decodeURIComponent(pathname.slice(1)) || '/',
    };
  } catch {
    throw new TypeError(NOT_ENCODED);
  }
}
