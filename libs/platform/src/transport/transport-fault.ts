import type { Phase } from './phase.ts';

/** Why a call got no whole answer. */
export type TransportFault =
  /** Nobody listens there. */
  | 'refused'
  /** No connection for another reason: its name, the way, TLS. */
  | 'unreachable'
  | 'timeout'
  /** The connection ended before an answer began, or within one. */
  | 'reset'
  | 'truncated'
  /** What came is not HTTP. */
  | 'malformed'
  /** This side was closed. */
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
 * The name of an error of undici or of the socket; the error itself goes no further, since some hold what was received.
 *
 * @param phase how far the call had come
 */
export function transportFault(error: Error, phase: Phase): TransportFault {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  const known = FAULT_OF_CODE.get(code);
  if (known !== undefined) return known;
  if (phase === 'unsent') return 'unreachable';
  if (phase === 'answering') return 'truncated';
  return error.name === 'HTTPParserError' ? 'malformed' : 'reset';
}
