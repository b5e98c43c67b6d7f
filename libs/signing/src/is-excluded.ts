import type { SignatureSettings } from './signature-settings.ts';

/** Source: interface document, "Signature", step 2. */
export const EXCLUDED_NAMES: ReadonlySet<string> = new Set([
  'clientId',
  'access-token',
  'action',
  'auth',
  'channel',
  'controller',
  'locale',
  'method',
  'module',
  'sign',
  'version',
  'per-page',
  'page',
  'sort',
]);

/** Whether a parameter of the top level takes no part in the signature. */
export function isExcluded(name: string, settings: Pick<SignatureSettings, 'openGameClient'>): boolean {
  return EXCLUDED_NAMES.has(name) || (name === 'client' && settings.openGameClient === 'drop');
}

/** Whether a member of a nested object takes no part; `client` always does there, since only the query's can be dropped. */
export function isExcludedWithin(name: string, settings: Pick<SignatureSettings, 'exclude'>): boolean {
  return settings.exclude === 'deep' && EXCLUDED_NAMES.has(name);
}
