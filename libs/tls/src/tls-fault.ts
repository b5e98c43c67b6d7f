/** Why a TLS connection was refused, by either side. */
export type TlsFault =
  /** Nobody who is trusted signed the server's certificate. */
  | 'unknown-authority'
  | 'other-host'
  | 'expired'
  /** The server demands a client certificate, or refuses ours. */
  | 'client-certificate'
  /** What answers does not speak TLS. */
  | 'no-tls';

const FAULT_OF_CODE: ReadonlyMap<string, TlsFault> = new Map([
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'unknown-authority'],
  ['UNABLE_TO_GET_ISSUER_CERT', 'unknown-authority'],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'unknown-authority'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'unknown-authority'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'unknown-authority'],
  ['CERT_SIGNATURE_FAILURE', 'unknown-authority'],
  ['CERT_UNTRUSTED', 'unknown-authority'],
  ['INVALID_CA', 'unknown-authority'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'other-host'],
  ['CERT_HAS_EXPIRED', 'expired'],
  ['CERT_NOT_YET_VALID', 'expired'],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'no-tls'],
  ['ERR_SSL_PACKET_LENGTH_TOO_LONG', 'no-tls'],
]);

/** What a server sends to a client whose certificate it misses or refuses; OpenSSL names the protocol before it. */
const CLIENT_CERTIFICATE =
  /^ERR_SSL_.*ALERT_(?:HANDSHAKE_FAILURE|UNKNOWN_CA|ACCESS_DENIED|(?:BAD|UNSUPPORTED)_CERTIFICATE|CERTIFICATE_(?:REQUIRED|EXPIRED|REVOKED|UNKNOWN))$/;

/** What a failed TLS connection failed by; `undefined` if it was not TLS. */
export function tlsFaultOf(error: unknown): TlsFault | undefined {
  const code = (error as { code?: unknown } | undefined)?.code;
  if (typeof code !== 'string') return undefined;
  return FAULT_OF_CODE.get(code) ?? (CLIENT_CERTIFICATE.test(code) ? 'client-certificate' : undefined);
}
