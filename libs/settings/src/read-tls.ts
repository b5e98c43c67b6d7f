import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';

import type { TlsMaterial } from '#tls';

import { readFile, type ReadText, type Settings } from './settings.ts';
import { type SettingFault, SettingsError } from './settings-error.ts';

/** The prefix of the settings' names for one kind of server. */
export type TlsFamily = 'AMQP' | 'PLATFORM' | 'REDIS';
type TlsVariable = `${TlsFamily}_TLS_${'CA' | 'CERT' | 'KEY'}`;

export interface TlsSource {
  readonly settings: Partial<Pick<Settings, TlsVariable>>;
  /** The servers' addresses; at least one must be encrypted if files are given. */
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
const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * Reads the files named by `…_TLS_CA`, `…_TLS_CERT` and `…_TLS_KEY` for one kind of server. Checks them so
 * that a fault is reported at startup instead of at each connection.
 *
 * @throws SettingsError for each file that cannot be used, without its content
 */
export function readTls(family: TlsFamily, { settings, addresses, readText, nowMs }: TlsSource): TlsMaterial {
  const names = { ca: `${family}_TLS_CA`, cert: `${family}_TLS_CERT`, key: `${family}_TLS_KEY` } as const;
  const [first, ...others] = Object.values(names).filter((name) => settings[name] !== undefined);
  if (first === undefined) return {};
  if (!addresses.some((address) => ENCRYPTED.test(address))) {
    const reason = `has no effect: ${UNENCRYPTED[family]}`;
    throw new SettingsError([first, ...others].map((variable) => ({ variable, reason })));
  }
  const faults: SettingFault[] = [];
  const material: Partial<Record<keyof TlsMaterial, string>> = {};
  /** Reads and checks a file if its variable is set, and collects a fault. */
  const take = (part: keyof TlsMaterial, check: (text: string) => void): void => {
    const variable = names[part];
    const path = settings[variable];
    if (path === undefined) return;
    try {
      const text = readFile(path, readText);
      check(text);
      material[part] = text;
    } catch (error) {
      faults.push({ variable, reason: (error as Error).message });
    }
  };
  const isCurrent = ({ validFromDate, validToDate }: X509Certificate): boolean =>
    validFromDate.getTime() <= nowMs && nowMs <= validToDate.getTime();
  // Authorities are renewed by adding the next one, so one valid authority is enough.
  take('ca', (text) => refuseUnless(certificatesIn(text).some(isCurrent)));
  // The client's own certificate comes first, followed by its chain.
  take('cert', (text) => refuseUnless(certificatesIn(text).every(isCurrent)));
  take('key', privateKeyIn);
  const { cert, key } = material;
  if (settings[names.key] === undefined && settings[names.cert] !== undefined) {
    faults.push({ variable: names.cert, reason: `has no key; set ${names.key} to its file` });
  } else if (settings[names.cert] === undefined && settings[names.key] !== undefined) {
    faults.push({ variable: names.key, reason: `has no certificate; set ${names.cert} to its file` });
  } else if (cert && key && !certificatesIn(cert)[0].checkPrivateKey(privateKeyIn(key))) {
    faults.push({ variable: names.key, reason: `does not belong to the certificate of ${names.cert}` });
  }
  if (faults.length === 0) faults.push(...faultsOfOpenSsl(first, material));
  if (faults.length > 0) throw new SettingsError(faults);
  return material;
}

function refuseUnless(isCurrent: boolean): void {
  if (!isCurrent) throw new Error('the certificate has expired or is not valid yet');
}

function certificatesIn(text: string): readonly [X509Certificate, ...X509Certificate[]] {
  const [first, ...others] = text.match(CERTIFICATE) ?? [];
  if (first === undefined) throw new Error('the file contains no PEM certificate');
  try {
    return [new X509Certificate(first), ...others.map((block) => new X509Certificate(block))];
  } catch {
    throw new Error('the file contains an invalid certificate');
  }
}

function privateKeyIn(text: string): KeyObject {
  try {
    return createPrivateKey(text);
  } catch {
    throw new Error(
      text.includes('ENCRYPTED')
        ? 'the key has a passphrase; use a key without one'
        : 'the file contains no PEM private key',
    );
  }
}

/** Returns faults that only OpenSSL detects, such as a key that is too short. */
function faultsOfOpenSsl(variable: TlsVariable, material: TlsMaterial): SettingFault[] {
  try {
    createSecureContext(material);
    return [];
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    return [{ variable, reason: `cannot be used (${code})` }];
  }
}
