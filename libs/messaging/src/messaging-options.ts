import type { TlsContext } from '#tls';

import type { CallerPolicy } from './envelope/reply-address.ts';
import type { InternalKeys } from './envelope/seal.ts';
import type { MessagingSettings } from './messaging-settings.ts';
import type { CommandTracer, MessagingObserver } from './observer/messaging-observer.ts';

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
