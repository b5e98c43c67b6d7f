import type { Operation } from '#platform';

import { type CallResult, describeAnswer, isSignatureRefused } from '../worker-calls.ts';

/** Actions, and questions to the platform's manager, if no setting helps. */
export const ADVICE = {
  key: 'check PLATFORM_CLIENT_ID and the secret key: the platform rejects requests that all settings sign alike',
  strings:
    'no setting signs strings of JSON as this platform does: send none, and ask which strings it decodes',
  pages:
    'ask whether page and per-page, which every report request has, are removed before signing, ' +
    'as the interface document says',
  place:
    'report.rake.fetch is rejected with its parameters in the form, in the query and in both: ask where they ' +
    'belong, and whether this client may read it',
  game:
    'no setting gives its signature; ask for the value of client (PLATFORM_CLIENT_KEY), whether the members of ' +
    'nested objects are sorted by name, and for the text that the platform signs for one request',
  booleans:
    'booleans are signed neither as 1 and nothing nor as true and false: ask how, and send none until then ' +
    '(active, verified, longLifeLoginToken, within launchOptions)',
  nested: 'no setting signs launchOptions as this platform does: ask how, and send none until then',
  noteOnStrings:
    'strings of JSON within launchOptions are signed differently from those of a session: send objects instead',
  player: 'give --player the id of a test player that may play, and --currency its currency',
  unchecked:
    'a wrong signature is accepted: check that PLATFORM_BASE_URL leads to the platform, and that the platform ' +
    'has a key for this client',
} as const;

/**
 * Describes a call that failed: the question to ask if its signature was rejected, otherwise the reason or
 * the response.
 */
export function problemOf(
  operation: Operation,
  answer: CallResult,
  question: string,
  otherwise = 'the signature is not the cause; run poker-bridge doctor',
): string {
  const reason = answer === 'success' ? undefined : answer.details?.['reason'];
  const known = typeof reason === 'string' ? reason : otherwise;
  return `${operation} is answered ${describeAnswer(answer)}: ${isSignatureRefused(answer) ? question : known}`;
}
