import { type TlsFault, tlsFaultOf } from './tls-fault.ts';

/** What a connection trusts and presents, in PEM. */
export interface TlsMaterial {
  /** Trusted instead of the authorities that Node.js knows. */
  readonly ca?: string;
  /** The client's certificate and those that lead from it to its authority. */
  readonly cert?: string;
  readonly key?: string;
}

/**
 * What the connections to one kind of server trust and present. They look when they connect: a connection that stands
 * keeps what it has.
 */
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
    const message = (error as { message?: string } | undefined)?.message ?? String(error);
    const fault = tlsFaultOf(error);
    return fault === undefined ? message : `${adviceOn(fault, this.#family)} (${message})`;
  }
}

function adviceOn(fault: TlsFault, family: string): string {
  switch (fault) {
    case 'unknown-authority':
      return `its certificate is from an unknown authority; name the file of that authority in ${family}_TLS_CA`;
    case 'other-host':
      return 'its certificate is for another host; use the name in its certificate as address';
    case 'expired':
      return 'its certificate has expired or is not valid yet; have it renewed';
    case 'client-certificate':
      return `it refuses the handshake; if it demands a client certificate, name one in ${family}_TLS_CERT and ${family}_TLS_KEY`;
    case 'no-tls':
      return 'it does not speak TLS on this port; correct the address';
  }
}
