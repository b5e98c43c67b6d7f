import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';

import type { TlsMaterial } from '#tls';

import { readFile, type ReadText, type Settings } from './settings.ts';
import { type SettingFault, SettingsError } from './settings-error.ts';

/** What the names of the settings for one kind of server begin with. */
export type TlsFamily = 'AMQP' | 'PLATFORM' | 'REDIS';
type TlsVariable = `${TlsFamily}_TLS_${'CA' | 'CERT' | 'KEY'}`;

export interface TlsSource {
  readonly settings: Partial<Pick<Settings, TlsVariable>>;
  /** Of the servers; the files are of use only if one of them is encrypted. */
  readonly addresses: readonly string[];
  readonly readText: ReadText;
  readonly nowMs: number;
}

const ENCRYPTED = /^(amqps|https|rediss):/i;
const UNENCRYPTED: Readonly<Record<TlsFamily, string>> = {
  AMQP: 'AMQP_URL is not amqps',
  PLATFORM: 'no address of the platform is https',
  REDIS: 'REDIS_URL is not rediss',
};
const OUTDATED = 'its certificate has expired, or is not valid yet';
const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * The files that `…_TLS_CA`, `…_TLS_CERT` and `…_TLS_KEY` of one kind of server name. They are checked, so that what is
 * wrong is told at start, and not at each connect.
 *
 * @throws SettingsError for each file that cannot be used, without its content
 */
export function readTls(family: TlsFamily, source: TlsSource): TlsMaterial {
  const { settings, addresses } = source;
  const [caFile, certFile, keyFile] = [
    `${family}_TLS_CA`,
    `${family}_TLS_CERT`,
    `${family}_TLS_KEY`,
  ] as const;
  const [first, ...others] = [caFile, certFile, keyFile].filter((name) => settings[name] !== undefined);
  if (first === undefined) return {};
  if (!addresses.some((address) => ENCRYPTED.test(address))) {
    const reason = `is of no use: ${UNENCRYPTED[family]}`;
    throw new SettingsError([first, ...others].map((variable) => ({ variable, reason })));
  }
  const faults: SettingFault[] = [];
  const ca = readOne(caFile, readAuthorities, source, faults);
  const cert = readOne(certFile, readClientCertificate, source, faults);
  const key = readOne(keyFile, readPrivateKey, source, faults);
  if (settings[keyFile] === undefined && settings[certFile] !== undefined) {
    faults.push({ variable: certFile, reason: `has no key; name its file in ${keyFile}` });
  } else if (settings[certFile] === undefined && settings[keyFile] !== undefined) {
    faults.push({ variable: keyFile, reason: `has no certificate; name its file in ${certFile}` });
  } else if (cert && key && !cert.certificate.checkPrivateKey(key.key)) {
    faults.push({ variable: keyFile, reason: `does not belong to the certificate of ${certFile}` });
  }
  const material = {
    ...(ca && { ca: ca.text }),
    ...(cert && { cert: cert.text }),
    ...(key && { key: key.text }),
  };
  if (faults.length === 0) faults.push(...faultsOfOpenSsl(first, material));
  if (faults.length > 0) throw new SettingsError(faults);
  return material;
}

/** @returns `undefined` if there is no such file, or it is at fault */
function readOne<T>(
  variable: TlsVariable,
  read: (text: string, nowMs: number) => T,
  { settings, readText, nowMs }: TlsSource,
  faults: SettingFault[],
): T | undefined {
  const path = settings[variable];
  if (path === undefined) return undefined;
  try {
    return read(readFile(path, readText), nowMs);
  } catch (error) {
    faults.push({ variable, reason: (error as Error).message });
    return undefined;
  }
}

/** Authorities are renewed by adding the next one: one that is valid is enough. */
function readAuthorities(text: string, nowMs: number): { text: string } {
  if (!certificatesIn(text).some((certificate) => isCurrent(certificate, nowMs))) throw new Error(OUTDATED);
  return { text };
}

/** The client's own certificate comes first, those that lead to its authority follow. */
function readClientCertificate(text: string, nowMs: number): { text: string; certificate: X509Certificate } {
  const certificates = certificatesIn(text);
  if (!certificates.every((certificate) => isCurrent(certificate, nowMs))) throw new Error(OUTDATED);
  return { text, certificate: certificates[0] };
}

function readPrivateKey(text: string): { text: string; key: KeyObject } {
  try {
    return { text, key: createPrivateKey(text) };
  } catch {
    throw new Error(
      text.includes('ENCRYPTED')
        ? 'its key needs a passphrase; give one that needs none'
        : 'its file holds no private key in PEM',
    );
  }
}

function certificatesIn(text: string): readonly [X509Certificate, ...X509Certificate[]] {
  const [first, ...others] = text.match(CERTIFICATE) ?? [];
  if (first === undefined) throw new Error('its file holds no certificate in PEM');
  try {
    return [new X509Certificate(first), ...others.map((block) => new X509Certificate(block))];
  } catch {
    throw new Error('its file holds a certificate that cannot be read');
  }
}

function isCurrent({ validFromDate, validToDate }: X509Certificate, nowMs: number): boolean {
  return validFromDate.getTime() <= nowMs && nowMs <= validToDate.getTime();
}

/** OpenSSL refuses more than is looked for here, a key that is too short for example. */
function faultsOfOpenSsl(variable: TlsVariable, material: TlsMaterial): SettingFault[] {
  try {
    createSecureContext(material);
    return [];
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    return [{ variable, reason: `cannot be used (${code})` }];
  }
}
