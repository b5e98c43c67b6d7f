import type { BusNames, Lane } from '#contracts';
import type { Clock } from '#resilience';
import type { TlsContext } from '#tls';

import type { CallerPolicy } from './envelope/reply-address.ts';
import type { InternalKeys } from './envelope/seal.ts';
import type { IdempotencyStore } from './idempotency/idempotency-store.ts';
import type { CommandTracer, MessagingObserver } from './observer/messaging-observer.ts';

/** The settings of the bus under the names of their variables (docs/settings.md). */
export interface MessagingSettings {
  readonly AMQP_URL: readonly string[];
  readonly AMQP_PREFIX: string;
  readonly LANES: readonly Lane[];
  readonly INTERACTIVE_PREFETCH: number;
  readonly REPORTS_PREFETCH: number;
  readonly INTERACTIVE_DEADLINE_MS: number;
  readonly REPORTS_DEADLINE_MS: number;
  readonly REPORTS_STALL_MS: number;
  /** The delays of the retry queues, shortest first. */
  readonly REPORTS_RETRY_DELAYS_MS: readonly number[];
  readonly MAX_COMMAND_BYTES: number;
  readonly DELIVERY_LIMIT: number;
  /** The longest that one call of a handler takes, after which the quarantine no longer waits for a command. */
  readonly PLATFORM_ATTEMPT_TIMEOUT_MS: number;
  readonly SHUTDOWN_GRACE_MS: number;
  readonly EVENTS: 'errors' | 'all' | 'none';
  readonly IDEMPOTENCY_TTL_MS: number;
  /** Without it, each worker deduplicates by itself. */
  readonly REDIS_URL?: string | undefined;
}

export interface ReportsPause {
  /** How long none should be taken, because everything that they call is down; `undefined` if they need not pause. */
  readonly pauseMs: number | undefined;
  /** Whether something that they call is known to answer, or nothing is known to be down. */
  readonly isServed: boolean;
}

export interface MessagingOptions {
  readonly settings: MessagingSettings;
  /** For `amqps` and `rediss` URLs. Default: what Node.js trusts, and no client certificate. */
  readonly tls?: TlsContext;
  readonly redisTls?: TlsContext;
  /** What the handlers call with the credentials of an operator; `undefined` if there are none under that name. */
  readonly clientOf: (operator: string) => unknown;
  readonly callers: CallerPolicy;
  /** How log lines name a player of an operator. Default: not at all. */
  readonly subjectOf?: ((operator: string, player: string) => string) | undefined;
  /** Seal what workers write for each other. */
  readonly internalKeys: InternalKeys;
  /** Called at the first connection, if the broker's topology differs from this version's. */
  readonly onMismatch: (mismatch: string) => void;
  /** Whether reports should be taken, by what they have called; a player's command is answered in any case. */
  readonly reportsPause: () => ReportsPause;
  readonly observer: MessagingObserver;
  /** Default: nothing is traced. */
  readonly tracer?: CommandTracer | undefined;
}

/** What all parts of the bus share: the options, and what `PokerTransport` makes of them once. */
export interface Bus extends MessagingOptions {
  readonly idempotency: IdempotencyStore;
  readonly names: BusNames;
  /** The time of day, epoch milliseconds. */
  readonly nowMs: () => number;
  /** Steady, for what is measured within this process. */
  readonly clock: Clock;
  readonly sleep: (ms: number) => Promise<unknown>;
  readonly newId: () => string;
}
