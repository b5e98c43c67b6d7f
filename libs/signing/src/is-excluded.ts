import type { SignatureSettings } from './signature-settings.ts';

/** Source: interface document, "Signature", step 2. */
const EXCLUDED: ReadonlySet<string> = new Set([
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

/** Whether a parameter of the top level takes no part in the signature. Below the top level, every name takes part. */
export function isExcluded(name: string, settings: Pick<SignatureSettings, 'openGameClient'>): boolean {
  return EXCLUDED.has(name) || (name === 'client' && settings.openGameClient === 'drop');
}
