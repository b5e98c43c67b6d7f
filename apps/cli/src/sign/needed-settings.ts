import type { PlatformSettings } from '#platform';
import { SETTINGS } from '#settings';

import type { CallResult } from '../worker-calls.ts';

export type Change = Partial<PlatformSettings>;

/** Settings that affect how a response is read, not whether the platform accepts a request. */
export const OF_REPORTS = { REPORT_RECORDS: { member: 'reportRecords' } } as const;
export const OF_SESSIONS = {
  SESSION_USER_ID: { member: 'sessionUserId' },
  PLATFORM_URL_SCHEMES: { member: 'urlSchemes' },
} as const;

/** Returns the changes of settings that make a response readable; empty if no setting helps. */
export function changeNeededBy(answer: CallResult, { urlSchemes }: PlatformSettings): Change {
  const reason = answer === 'success' ? '' : String(answer.details?.['reason']);
  if (/\bREPORT_RECORDS=lenient\b/.test(reason)) return { reportRecords: 'lenient' };
  if (/\bSESSION_USER_ID=any\b/.test(reason)) return { sessionUserId: 'any' };
  const scheme = / URL but one of ([^\s;]+);/.exec(reason)?.[1];
  if (scheme === undefined) return {};
  try {
    return { urlSchemes: SETTINGS.PLATFORM_URL_SCHEMES.read([...urlSchemes, scheme].join(',')) };
  } catch {
    // The scheme runs code; no worker accepts it.
    return {};
  }
}
