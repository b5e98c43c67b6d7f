import type { TlsContext } from '#tls';

import type { CallerPolicy } from './envelope/reply-address.ts';
import type { InternalKeys } from './envelope/seal.ts';
import type { MessagingSettings } from './messaging-settings.ts';
import type { CommandTracer, MessagingObserver } from './observer/messaging-observer.ts';

export interface ReportsPause {
  /**
   * The time for which the reports lane should pause because every circuit it uses is open; undefined if it
   * need not pause.
   */
  readonly pauseMs: number | undefined;
  /** True if an operation that reports use is known to work, or if none is known to be down. */
  readonly isServed: boolean;
}

export interface MessagingOptions {
  readonly settings: MessagingSettings;
  /** For `amqps` and `rediss` URLs. Default: the CAs of Node.js, and no client certificate. */
  readonly tls?: TlsContext;
  readonly redisTls?: TlsContext;
  /** Returns the platform client of an operator; undefined if there is no such operator. */
  readonly clientOf: (operator: string) => unknown;
  readonly callers: CallerPolicy;
  /** Returns the name of a player in log lines. Default: players are not logged. */
  readonly subjectOf?: ((operator: string, player: string) => string) | undefined;
  /** The keys that seal what workers write for each other. */
  readonly internalKeys: InternalKeys;
  /** Called after the first connection if the broker's topology differs from this version's. */
  readonly onMismatch: (mismatch: string) => void;
  /**
   * Returns whether the reports lane should pause because of the operations that it recently called. The
   * interactive lane never pauses.
   */
  readonly reportsPause: () => ReportsPause;
  readonly observer: MessagingObserver;
  /** Default: no traces. */
  readonly tracer?: CommandTracer | undefined;
}
