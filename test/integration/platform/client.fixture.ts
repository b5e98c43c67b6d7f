import { afterEach } from '@jest/globals';

import type { CommandError, CommandType, ReportRecord } from '#contracts';
import {
  type AttemptResult,
  type CallContext,
  type CollectionPage,
  DEFAULT_PLATFORM_SETTINGS,
  type OperatorCredentials,
  PlatformClient,
  PlatformObserver,
  type PlatformLimits,
  type PlatformSettings,
  type PlatformTransport,
  type RefusalReason,
} from '#platform';
import { Deadline, steadyClock } from '#resilience';

import { type Behaviour, LocalPlatform } from './local-platform.ts';

export const SECRET = 'test_secret_key';

export const LIMITS: PlatformLimits = {
  attemptTimeoutMs: 600_000,
  maxAttempts: 3,
  connections: 16,
  queue: 64,
  circuit: { failureRate: 50, minimumCalls: 1000, windowMs: 15_000, openMs: 300 },
};

export interface ClientOptions {
  readonly limits?: Partial<PlatformLimits>;
  readonly settings?: Partial<PlatformSettings>;
  readonly credentials?: Partial<OperatorCredentials>;
  readonly transport?: PlatformTransport;
  /** Default: the steady one. */
  readonly clock?: () => number;
}

/** Records what it observes. */
export class RecordingObserver extends PlatformObserver {
  readonly results: AttemptResult[] = [];
  readonly circuitStates: string[] = [];
  readonly refusals: RefusalReason[] = [];
  waits = 0;
  retries = 0;
  signatureDoubts = 0;

  override attemptEnded(_operation?: string, result?: AttemptResult): void {
    if (result) this.results.push(result);
  }

  override admissionWaited(): void {
    this.waits += 1;
  }

  override attemptRefused(_operation?: string, reason?: RefusalReason): void {
    if (reason) this.refusals.push(reason);
  }

  override signatureDoubted(): void {
    this.signatureDoubts += 1;
  }

  override retried(): void {
    this.retries += 1;
  }

  override circuitChanged(operator?: string, operation?: string, state?: string): void {
    this.circuitStates.push(`${operator} ${operation} ${state}`);
  }
}

const open: { close(): Promise<void> }[] = [];

afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

export async function startPlatform(otherwise?: Behaviour): Promise<LocalPlatform> {
  const platform = await LocalPlatform.start(otherwise);
  open.push(platform);
  return platform;
}

/** The operator `default` of a platform at `origin`. */
export function operatorAt(
  origin: string,
  { settings, credentials }: Pick<ClientOptions, 'settings' | 'credentials'> = {},
): OperatorCredentials {
  return {
    name: 'default',
    baseUrl: `${origin}/api/web`,
    apiUrl: origin,
    clientId: 'op1',
    secretKey: SECRET,
    settings: { ...DEFAULT_PLATFORM_SETTINGS, ...settings },
    ...credentials,
  };
}

/** A client of `origin` that is closed after the test; pauses between attempts are as short as jitter can make them. */
export function buildClient(
  origin: string,
  { limits, transport = {}, clock = steadyClock, ...operator }: ClientOptions = {},
) {
  const observer = new RecordingObserver();
  const client = new PlatformClient(operatorAt(origin, operator), {
    limits: { ...LIMITS, ...limits },
    transport,
    observer,
    clock,
    random: () => 0.01,
  });
  open.push(client);
  return { client, observer };
}

/** @param ms default: longer than any test */
export function callWithin(ms = 600_000): CallContext {
  return { deadline: Deadline.after(ms), attempts: 0 };
}

const PERIOD = { dateFrom: '2026-01-30 00:00:00', dateTo: '2026-01-31 00:00:00' };

/** Each operation of the interface document, called with the least data. */
export const CALLS = {
  'session.create': (client, call) => client.createSession({ userId: 'u-1' }, call),
  'game.open': (client, call) => client.openGame({ player: { id: 'u-1' }, session: { id: 's-1' } }, call),
  'report.ad-hoc.fetch': (client, call) => client.fetchAdHocReport(PERIOD, { page: 1, perPage: 500 }, call),
  'report.rake.fetch': (client, call) => client.fetchRake(PERIOD, { page: 1, perPage: 500 }, call),
} satisfies Partial<Record<CommandType, (client: PlatformClient, call: CallContext) => Promise<unknown>>>;

export type CalledOperation = keyof typeof CALLS;
export const OPERATIONS = Object.keys(CALLS) as readonly CalledOperation[];

/** The records of a page, as its reply has them. */
export function recordsOf({ written }: CollectionPage): ReportRecord[] {
  return JSON.parse(`[${textOf({ written })}]`) as ReportRecord[];
}

export function textOf({ written }: Pick<CollectionPage, 'written'>): string {
  return Buffer.concat(written).toString();
}

/** The error of a call that must fail. */
export async function failureOf(call: Promise<unknown>): Promise<CommandError> {
  return call.then(
    () => {
      throw new Error('The call succeeded.');
    },
    (error: CommandError) => error,
  );
}

export async function elapsedMs(work: Promise<unknown>): Promise<number> {
  const startedAtMs = performance.now();
  await work.catch(() => undefined);
  return performance.now() - startedAtMs;
}
