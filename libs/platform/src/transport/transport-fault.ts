import type { Phase } from './phase.ts';

/** Why a request got no complete answer. */
export type TransportFault =
  /** The connection was refused. */
  | 'refused'
  /** No connection for another reason: DNS, routing, TLS. */
  | 'unreachable'
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

/**
 * Names an error of undici or of the socket; the error itself is not passed on, since some hold what was received.
 *
 * @param phase how far the exchange had come
 */
export function transportFault(error: Error, phase: Phase): TransportFault {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  const known = FAULT_OF_CODE.get(code);
  if (known !== undefined) return known;
  if (phase === 'unsent') return 'unreachable';
  if (phase === 'answering') return 'truncated';
  return error.name === 'HTTPParserError' ? 'malformed' : 'reset';
}
