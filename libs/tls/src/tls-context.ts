/** The trusted authorities and the client certificate of a connection, in PEM. */
export interface TlsMaterial {
  /** Trusted instead of the authorities that Node.js knows. */
  readonly ca?: string;
  /** The client's certificate with its chain. */
  readonly cert?: string;
  readonly key?: string;
}

const DEFAULT: TlsMaterial = {};

/** TLS options for connections to one kind of server, read at each connect; open connections keep theirs. */
export class TlsContext {
  /**
   * @param family the prefix of its settings: `AMQP`, `PLATFORM` or `REDIS`
   * @param read returns the same object until it changes; default: the authorities of Node.js, no client
   *   certificate
   */
  constructor(
    private readonly family: string,
    private readonly read: () => TlsMaterial = () => DEFAULT,
  ) {}

  /** Returns a new object after each change. */
  get material(): TlsMaterial {
    return this.read();
  }

  /** Returns the message of a connection error, with advice if the cause is TLS. */
  describe(error: unknown): string {
    const { message = String(error), reason = message } = (error ?? {}) as {
      message?: string;
      reason?: string;
    };
    const fault = tlsFaultOf(error);
    // In OpenSSL's message, a memory address and a source line surround the reason.
    return fault === undefined ? message : `${FAULTS[fault].advice.replaceAll('*', this.family)} (${reason})`;
  }
}

/** Reasons for which either side rejects a TLS connection: codes of Node.js and OpenSSL, with advice. */
const FAULTS = {
  'unknown-authority': {
    codes:
      /^(UNABLE_TO_(GET_ISSUER|VERIFY)_\w+|\w*SELF_SIGNED_CERT\w*|CERT_SIGNATURE_FAILURE|CERT_UNTRUSTED|INVALID_CA)$/,
    advice: 'its certificate is from an unknown authority; set *_TLS_CA to the file of that authority',
  },
  'other-host': {
    codes: /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    advice: 'its certificate is for another host; use the host name in the certificate as the address',
  },
  expired: {
    codes: /^CERT_(HAS_EXPIRED|NOT_YET_VALID)$/,
    advice: 'its certificate has expired or is not valid yet; renew it',
  },
  'no-tls': {
    codes: /^ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG)$/,
    advice: 'it does not speak TLS on this port; correct the address',
  },
  // The alerts of a server that requires or rejects a client certificate; OpenSSL prefixes the protocol.
  'client-certificate': {
    codes:
      /^ERR_SSL_.*ALERT_(HANDSHAKE_FAILURE|UNKNOWN_CA|ACCESS_DENIED|(BAD|UNSUPPORTED)_CERTIFICATE|CERTIFICATE_(REQUIRED|EXPIRED|REVOKED|UNKNOWN))$/,
    advice: 'it rejected the handshake; if it requires a client certificate, set *_TLS_CERT and *_TLS_KEY',
  },
} as const satisfies Readonly<Record<string, { readonly codes: RegExp; readonly advice: string }>>;

export type TlsFault = keyof typeof FAULTS;

/** Returns the TLS fault that caused an error; `undefined` if TLS is not the cause. */
export function tlsFaultOf(error: unknown): TlsFault | undefined {
  const { code } = (error ?? {}) as { code?: unknown };
  const faults = Object.keys(FAULTS) as TlsFault[];
  return typeof code === 'string' ? faults.find((fault) => FAULTS[fault].codes.test(code)) : undefined;
}
