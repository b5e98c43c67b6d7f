import { CallerPolicy } from './envelope.ts';
import { InternalKeys } from './internal-keys.ts';
import type { EnvelopeRules } from './open-envelope.ts';
import { HeaderSeal } from './own-headers.ts';

/** 12:00 UTC of the last day of January 2026, when everything in a spec is received. */
export const RECEIVED_AT_MS = Date.UTC(2026, 0, 31, 12);

export const SEAL_OF_SPEC = new HeaderSeal(new InternalKeys(Buffer.alloc(32, 7)));

/** Allows what a function allows, by default everything. */
export class SpecCallers extends CallerPolicy {
  readonly #isAllowed: (...facts: string[]) => boolean;

  constructor(isAllowed: (...facts: string[]) => boolean = () => true) {
    super();
    this.#isAllowed = isAllowed;
  }

  mayRun(...facts: [string, string, string]): boolean {
    return this.#isAllowed(...facts);
  }

  mayReplyTo(...facts: [string, string]): boolean {
    return this.#isAllowed(...facts);
  }
}

export const ENVELOPE_RULES: EnvelopeRules = {
  maxBytes: 65_536,
  reserved: 'poker.',
  seal: SEAL_OF_SPEC,
  callers: new SpecCallers(),
  budgetMs: { interactive: 15_000, reports: 600_000 },
  nowMs: () => RECEIVED_AT_MS,
  newId: () => 'made-up',
};
