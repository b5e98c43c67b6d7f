/** What a connection trusts and presents, in PEM. */
export interface TlsMaterial {
  /** Trusted instead of the authorities that Node.js knows. */
  readonly ca?: string;
  /** The client's certificate and those that lead from it to its authority. */
  readonly cert?: string;
  readonly key?: string;
}

/** What the connections to one kind of server trust and present, read when they connect: an open one keeps what it has. */
export class TlsContext {
  readonly #family: string;
  #material: TlsMaterial;

  /**
   * @param family what its settings begin with: `AMQP`, `PLATFORM` or `REDIS`
   * @param material default: what Node.js trusts, and no client certificate
   */
  constructor(family: string, material: TlsMaterial = {}) {
    this.#family = family;
    this.#material = material;
  }

  /** Another object after each change. */
  get material(): TlsMaterial {
    return this.#material;
  }

  replace(material: TlsMaterial): void {
    this.#material = material;
  }

  /** The message of an error of a connection, and what to do if TLS is the reason. */
  describe(error: unknown): string {
    const { message = String(error), reason = message } = (error ?? {}) as {
      message?: string;
      reason?: string;
    };
    const fault = tlsFaultOf(error);
    // The message of OpenSSL has an address in memory and a line of its code around the reason.
    return fault === undefined ? message : `${ADVICE[fault](this.#family)} (${reason})`;
  }
}

/** What to do about each way in which either side refuses a TLS connection. */
const ADVICE = {
  /** Nobody who is trusted signed the server's certificate. */
  'unknown-authority': (family) =>
    `its certificate is from an unknown authority; name the file of that authority in ${family}_TLS_CA`,
  'other-host': () => 'its certificate is for another host; use the name in its certificate as address',
  expired: () => 'its certificate has expired or is not valid yet; have it renewed',
  /** The server demands a client certificate, or refuses ours. */
  'client-certificate': (family) =>
    `it refuses the handshake; if it demands a client certificate, name one in ${family}_TLS_CERT and ${family}_TLS_KEY`,
  /** What answers does not speak TLS. */
  'no-tls': () => 'it does not speak TLS on this port; correct the address',
} as const satisfies Readonly<Record<string, (family: string) => string>>;

/** Why a TLS connection was refused, by either side. */
export type TlsFault = keyof typeof ADVICE;

/** The codes of the errors of Node.js and OpenSSL. */
const CODES: readonly (readonly [TlsFault, RegExp])[] = [
  [
    'unknown-authority',
    /^(UNABLE_TO_(GET_ISSUER|VERIFY)_\w+|\w*SELF_SIGNED_CERT\w*|CERT_SIGNATURE_FAILURE|CERT_UNTRUSTED|INVALID_CA)$/,
  ],
  ['other-host', /^ERR_TLS_CERT_ALTNAME_INVALID$/],
  ['expired', /^CERT_(HAS_EXPIRED|NOT_YET_VALID)$/],
  ['no-tls', /^ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG)$/],
  // What a server sends to a client whose certificate it misses or refuses; OpenSSL names the protocol before it.
  [
    'client-certificate',
    /^ERR_SSL_.*ALERT_(HANDSHAKE_FAILURE|UNKNOWN_CA|ACCESS_DENIED|(BAD|UNSUPPORTED)_CERTIFICATE|CERTIFICATE_(REQUIRED|EXPIRED|REVOKED|UNKNOWN))$/,
  ],
];

/** What a failed TLS connection failed by; `undefined` if it was not TLS. */
export function tlsFaultOf(error: unknown): TlsFault | undefined {
  const code = (error as { code?: unknown } | undefined)?.code;
  return typeof code === 'string' ? CODES.find(([, codes]) => codes.test(code))?.[0] : undefined;
}
