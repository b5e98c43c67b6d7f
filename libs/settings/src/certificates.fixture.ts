import 'reflect-metadata';
import type { webcrypto } from 'node:crypto';

import {
  BasicConstraintsExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  type X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
/** A key algorithm that OpenSSL rejects because the key is too short. */
export const TOO_SHORT = {
  name: 'RSASSA-PKCS1-v1_5',
  modulusLength: 512,
  publicExponent: new Uint8Array([1, 0, 1]),
  hash: 'SHA-256',
};
const DAY_MS = 24 * 60 * 60 * 1000;
/** The hosts on which test servers listen. */
const THIS_MACHINE = ['localhost', '127.0.0.1'];

type KeyAlgorithm = webcrypto.EcKeyGenParams | webcrypto.RsaHashedKeyGenParams;

/** A certificate with its key, in PEM. */
export interface Identity {
  readonly cert: string;
  readonly key: string;
}

export class Authority {
  readonly #certificate: X509Certificate;
  readonly #keys: webcrypto.CryptoKeyPair;

  private constructor(certificate: X509Certificate, keys: webcrypto.CryptoKeyPair) {
    this.#certificate = certificate;
    this.#keys = keys;
  }

  static async create(): Promise<Authority> {
    const keys = await newKeys();
    const certificate = await X509CertificateGenerator.createSelfSigned({
      name: 'CN=authority of a test',
      keys,
      signingAlgorithm: ALGORITHM,
      ...validFor(DAY_MS),
      extensions: [new BasicConstraintsExtension(true, undefined, true)],
    });
    return new Authority(certificate, keys);
  }

  /** The authority's certificate in PEM, for clients that should trust its certificates. */
  get ca(): string {
    return this.#certificate.toString('pem');
  }

  /**
   * Issues a certificate for a server or a client.
   *
   * @param hosts names and IPv4 addresses; default: `localhost` and 127.0.0.1
   * @param validForMs validity from now, in milliseconds; negative for an expired certificate
   * @param algorithm of the certificate's key
   */
  async issue(
    hosts = THIS_MACHINE,
    validForMs = DAY_MS,
    algorithm: KeyAlgorithm = ALGORITHM,
  ): Promise<Identity> {
    const keys = await newKeys(algorithm);
    const certificate = await X509CertificateGenerator.create({
      subject: 'CN=identity of a test',
      issuer: this.#certificate.subject,
      publicKey: keys.publicKey,
      signingKey: this.#keys.privateKey,
      signingAlgorithm: ALGORITHM,
      ...validFor(validForMs),
      extensions: [
        new SubjectAlternativeNameExtension(
          hosts.map((value) => ({ type: /^[\d.]+$/.test(value) ? 'ip' : 'dns', value })),
        ),
      ],
    });
    const key = await crypto.subtle.exportKey('pkcs8', keys.privateKey);
    return { cert: certificate.toString('pem'), key: PemConverter.encode(key, PemConverter.PrivateKeyTag) };
  }
}

async function newKeys(algorithm: KeyAlgorithm = ALGORITHM): Promise<webcrypto.CryptoKeyPair> {
  return crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
}

function validFor(ms: number): { notBefore: Date; notAfter: Date } {
  const nowMs = Date.now();
  return { notBefore: new Date(nowMs - 2 * DAY_MS), notAfter: new Date(nowMs + ms) };
}
