import { formatted } from '../contract-files.ts';
import { breakingChanges } from './breaking-changes.ts';
import type { ContractOutline } from './contract-outline.ts';

/** What callers of version 1 rely on, relative to the repository. */
export const RELEASED_OUTLINE = 'test/contracts/version-1.json';

/**
 * The record of what callers rely on, with what was added since. Where anything would break a caller it stays as it is:
 * a person decides what becomes of it, and until then a test names each change.
 */
export async function withAdditions(record: string, now: ContractOutline): Promise<string> {
  if (breakingChanges(JSON.parse(record) as ContractOutline, now).length > 0) return record;
  return formatted(RELEASED_OUTLINE, JSON.stringify(now));
}
