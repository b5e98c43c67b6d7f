import { type TlsFault, tlsFaultOf } from '#tls';

import { ProxyError } from './route.ts';

/** How far an exchange has come; `unsent` is connecting. */
export type Phase = 'unsent' | 'sent' | 'answering';

/** Why a request got no complete answer. */
export type TransportFault =
  /** The connection was refused. */
  | 'refused'
  /** No connection for another reason: DNS, routing. */
  | 'unreachable'
  /** The platform's certificate is from an unknown authority, for another host, or expired. */
  | 'certificate'
  /** The platform demands a client certificate, or refuses ours. */
  | 'client-certificate'
  /** No connection to the proxy. */
  | 'proxy-unreachable'
  /** The proxy answers, and does not connect to the platform. */
  | 'proxy-refused'
  /** The proxy does not answer. */
  | 'proxy-timeout'
  | 'timeout'
  /** The connection ended before the answer began, or within it. */
  | 'reset'
  | 'truncated'
  /** The answer is not HTTP. */
  | 'malformed'
  /** The client was closed. */
  | 'closed';

const FAULT_OF_CODE: ReadonlyMap<string, TransportFault> = new Map([
  ['ECONNREFUSED', 'refused'],
  ['UND_ERR_CONNECT_TIMEOUT', 'timeout'],
  ['UND_ERR_HEADERS_TIMEOUT', 'timeout'],
  ['UND_ERR_BODY_TIMEOUT', 'timeout'],
  ['UND_ERR_HEADERS_OVERFLOW', 'malformed'],
  ['UND_ERR_DESTROYED', 'closed'],
]);

const FAULT_OF_TLS: ReadonlyMap<TlsFault | undefined, TransportFault> = new Map([
  ['unknown-authority', 'certificate'],
  ['other-host', 'certificate'],
  ['expired', 'certificate'],
  ['client-certificate', 'client-certificate'],
]);

/**
 * Names an error of undici or of the socket; the error itself is not passed on, since some hold what was received.
 *
 * @param phase how far the exchange had come
 */
export function transportFault(error: Error, phase: Phase): TransportFault {
  if (error instanceof ProxyError) return error.status === undefined ? 'proxy-unreachable' : 'proxy-refused';
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  const known = FAULT_OF_CODE.get(code) ?? FAULT_OF_TLS.get(tlsFaultOf(error));
  if (known !== undefined) return known;
  if (phase === 'unsent') return 'unreachable';
  if (phase === 'answering') return 'truncated';
  return error.name === 'HTTPParserError' ? 'malformed' : 'reset';
}
