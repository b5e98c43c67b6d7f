import type { TlsContext } from '#tls';

import type { CallerPolicy } from './envelope/reply-address.ts';
import type { InternalKeys } from './envelope/seal.ts';
import type { MessagingSettings } from './messaging-settings.ts';
import type { CommandTracer, MessagingObserver } from './observer/messaging-observer.ts';

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
   * Returns how many reports can currently be served at once, at most: 0 while every circuit that they use is
   * open, and 1 while a circuit admits a probe. The interactive lane never pauses.
   */
  readonly reportsLimit: () => number;
  readonly observer: MessagingObserver;
  /** Default: no traces. */
  readonly tracer?: CommandTracer | undefined;
}
