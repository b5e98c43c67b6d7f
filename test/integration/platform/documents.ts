/** Platform documents as described by the interface document. */

import { adHocAttributes, gameDocument } from '../../support/platform-answers.ts';
import { sessionDocument } from '../../support/platform-stub.ts';

export const SESSION = sessionDocument('u-1');
export const GAME = gameDocument('u-1');

function collection(type: string, attributes: readonly object[]) {
  return {
    data: attributes.map((each, index) => ({ id: `record-${index}`, type, attributes: each })),
    links: { self: { href: 'https://api.example/self' } },
    meta: { 'total-count': attributes.length, 'page-count': 1, 'current-page': 1, 'per-page': 500 },
  };
}

const AD_HOC_REPORT = collection('ad-hoc-report', [adHocAttributes('u-1')]);

export const RAKE_REPORT = collection('players-rake', [{ 'user-id': 'u-1', currency: 'USD', value: 512 }]);

/** The smallest successful answer of each operation. */
export const DOCUMENTS = {
  'session.create': SESSION,
  'game.open': GAME,
  'report.ad-hoc.fetch': AD_HOC_REPORT,
  'report.rake.fetch': RAKE_REPORT,
} as const;

export function errors(status: number, ...entries: readonly object[]) {
  return { errors: entries.map((entry) => ({ status, ...entry })) };
}

/** Returns a copy of a document with one member set, or removed if the value is `undefined`. */
export function changed(document: object, path: string, value: unknown): unknown {
  const copy = structuredClone(document) as Record<string, unknown>;
  const names = path.split('/');
  const last = names.pop()!;
  let holder = copy;
  for (const name of names) holder = holder[name] as Record<string, unknown>;
  if (value === undefined) delete holder[last];
  else holder[last] = value;
  return copy;
}
