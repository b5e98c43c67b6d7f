/** What a connection trusts and presents, in PEM. */
export interface TlsMaterial {
  /** Trusted instead of the authorities that Node.js knows. */
  readonly ca?: string;
  /** The client's certificate and those that lead from it to its authority. */
  readonly cert?: string;
  readonly key?: string;
}

const DEFAULT: TlsMaterial = {};

/** What the connections to one kind of server trust and present, read when they connect: an open one keeps what it has. */
export class TlsContext {
  /**
   * @param family what its settings begin with: `AMQP`, `PLATFORM` or `REDIS`
   * @param read gives the same object until it changes; default: what Node.js trusts, and no client certificate
   */
  constructor(
    private readonly family: string,
    private readonly read: () => TlsMaterial = () => DEFAULT,
  ) {}

  /** Another object after each change. */
  get material(): TlsMaterial {
    return this.read();
  }

  /** The message of an error of a connection, and what to do if TLS is the reason. */
  describe(error: unknown): string {
    const { message = String(error), reason = message } = (error ?? {}) as {
      message?: string;
      reason?: string;
    };
    const fault = tlsFaultOf(error);
    // The message of OpenSSL has an address in memory and a line of its code around the reason.
    return fault === undefined ? message : `${FAULTS[fault].advice.replaceAll('*', this.family)} (${reason})`;
  }
}

/** Each way in which either side refuses a TLS connection: its codes in Node.js and OpenSSL, and what to do about it. */
const FAULTS = {
  'unknown-authority': {
    codes:
      /^(UNABLE_TO_(GET_ISSUER|VERIFY)_\w+|\w*SELF_SIGNED_CERT\w*|CERT_SIGNATURE_FAILURE|CERT_UNTRUSTED|INVALID_CA)$/,
    advice: 'its certificate is from an unknown authority; name the file of that authority in *_TLS_CA',
  },
  'other-host': {
    codes: /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    advice: 'its certificate is for another host; use the name in its certificate as address',
  },
  expired: {
    codes: /^CERT_(HAS_EXPIRED|NOT_YET_VALID)$/,
    advice: 'its certificate has expired or is not valid yet; have it renewed',
  },
  'no-tls': {
    codes: /^ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG)$/,
    advice: 'it does not speak TLS on this port; correct the address',
  },
  // What a server sends to a client whose certificate it misses or refuses; OpenSSL names the protocol before it.
  'client-certificate': {
    codes:
      /^ERR_SSL_.*ALERT_(HANDSHAKE_FAILURE|UNKNOWN_CA|ACCESS_DENIED|(BAD|UNSUPPORTED)_CERTIFICATE|CERTIFICATE_(REQUIRED|EXPIRED|REVOKED|UNKNOWN))$/,
    advice:
      'it refuses the handshake; if it demands a client certificate, name one in *_TLS_CERT and *_TLS_KEY',
  },
} as const satisfies Readonly<Record<string, { readonly codes: RegExp; readonly advice: string }>>;

/** Why a TLS connection was refused, by either side. */
export type TlsFault = keyof typeof FAULTS;

/** What a failed TLS connection failed by; `undefined` if it was not TLS. */
export function tlsFaultOf(error: unknown): TlsFault | undefined {
  const { code } = (error ?? {}) as { code?: unknown };
  const faults = Object.keys(FAULTS) as TlsFault[];
  return typeof code === 'string' ? faults.find((fault) => FAULTS[fault].codes.test(code)) : undefined;
}
