import type { CommandData } from '#contracts';
import type { Operation, OperatorCredentials, PlatformSettings } from '#platform';
import { SETTINGS } from '#settings';
import { SIGNATURE_VARIABLES } from '#signing';

import { type CallResult, isSignatureRefused, isTaken } from '../worker-calls.ts';

export type Change = Partial<PlatformSettings>;

/** Makes one call exactly as a worker with these credentials would. */
export type Ask = <O extends Operation>(
  operation: O,
  data: CommandData[O],
  credentials: OperatorCredentials,
) => Promise<CallResult>;

/** Settings that can decide whether a platform accepts a request. Source: bus contract, section 6. */
export const PROBED = {
  ...SIGNATURE_VARIABLES,
  RAKE_PARAMETERS_IN: { member: 'rakeParametersIn' },
  SESSION_ID: { member: 'sessionId' },
} as const;

/** Settings that affect how a response is read, not whether the platform accepts a request. */
export const OF_REPORTS = { REPORT_RECORDS: { member: 'reportRecords' } } as const;
export const OF_SESSIONS = {
  SESSION_USER_ID: { member: 'sessionUserId' },
  PLATFORM_URL_SCHEMES: { member: 'urlSchemes' },
} as const;

/** Calls a platform with settings chosen by the responses so far, and records the findings. */
export class Probing {
  settings: PlatformSettings;
  /** Variables whose values make no difference to this platform. */
  readonly irrelevant = new Set<string>();
  /** Problems that no setting solves, each with the question to ask the platform's manager. */
  readonly problems: string[] = [];
  /** Limitations of the settings that were found. */
  readonly notes: string[] = [];
  calls = 0;
  /** True if the platform accepted any request. */
  isAnythingTaken = false;
  /** True if the platform rejected any signature. */
  protected wasRefused = false;

  constructor(
    private readonly ask: Ask,
    protected readonly credentials: OperatorCredentials,
  ) {
    this.settings = credentials.settings;
  }

  /** Applies the first of several settings with which the answer is right. Returns that answer. */
  protected async adopt<O extends Operation>(
    operation: O,
    data: CommandData[O],
    ways: readonly Change[],
    isRight = isTaken,
  ): Promise<CallResult | undefined> {
    for (const way of this.presentFirst(ways)) {
      const answer = await this.call(operation, data, way);
      if (!isRight(answer)) continue;
      this.change(way);
      return answer;
    }
    return undefined;
  }

  /** Sorts candidates: those closest to the current settings come first. */
  protected presentFirst<C extends Change>(ways: readonly C[]): readonly C[] {
    const distance = (way: C): number =>
      Object.entries(way).filter(
        ([member, value]) => this.settings[member as keyof C & keyof Change] !== value,
      ).length;
    return ways.toSorted((one, other) => distance(one) - distance(other));
  }

  protected async call<O extends Operation>(
    operation: O,
    data: CommandData[O],
    change: Change = {},
    secretKey = this.credentials.secretKey,
  ): Promise<CallResult> {
    this.calls += 1;
    const settings = { ...this.settings, ...change };
    const answer = await this.ask(operation, data, { ...this.credentials, secretKey, settings });
    this.wasRefused ||= isSignatureRefused(answer);
    this.isAnythingTaken ||= isTaken(answer);
    this.change(changeNeededBy(answer, this.settings));
    return answer;
  }

  protected change(change: Change): void {
    const isOther = Object.entries(change).some(
      ([member, value]) => this.settings[member as keyof Change] !== value,
    );
    if (isOther) this.settings = { ...this.settings, ...change };
  }
}

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
