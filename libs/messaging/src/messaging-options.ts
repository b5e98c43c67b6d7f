import type { Lane } from '#contracts';
import type { TlsContext } from '#tls';

import type { CallerPolicy } from './envelope/caller-policy.ts';
import type { InternalKeys } from './envelope/internal-keys.ts';
import type { IdempotencyStore } from './idempotency/idempotency-store.ts';
import type { CommandTracer } from './observer/command-tracer.ts';
import type { MessagingObserver } from './observer/messaging-observer.ts';
import type { EventPolicy } from './replies/event-message.ts';

/** What the transport is told by its worker. Defaults stand in the worker's settings. */
export interface MessagingOptions {
  /** The nodes of one cluster. They hold a password. */
  readonly urls: readonly string[];
  /** Of `amqps` URLs. Default: what Node.js trusts, and no client certificate. */
  readonly tls?: TlsContext;
  readonly prefix: string;
  /** Those that this worker serves. */
  readonly lanes: readonly Lane[];
  /** Commands in flight at once. */
  readonly prefetch: Readonly<Record<Lane, number>>;
  /** A lane's own budget, for commands without a deadline. */
  readonly budgetMs: Readonly<Record<Lane, number>>;
  readonly maxCommandBytes: number;
  /** Starts in quarantine before a command is poison. */
  readonly deliveryLimit: number;
  /** The delays of the reports' delayed retry, shortest first. */
  readonly retryDelaysMs: readonly number[];
  /** How long a report waits for a reply queue that refuses. */
  readonly stallMs: number;
  readonly events: EventPolicy;
  /** How long a stop waits for what is in flight. */
  readonly graceMs: number;
  /** Whether credentials stand under a name. */
  readonly hasOperator: (name: string) => boolean;
  readonly callers: CallerPolicy;
  /** How log lines name a player of an operator. Default: not at all. */
  readonly subjectOf?: ((operator: string, player: string) => string) | undefined;
  /** Seal what workers write for each other. */
  readonly internalKeys: InternalKeys;
  /** What stands on the broker differs from this version's topology, at the first connection. */
  readonly onMismatch: (error: Error) => void;
  /** How long a lane should take nothing, because everything that it calls is down; `undefined` if it need not pause. */
  readonly pauseMs: (lane: Lane) => number | undefined;
  /** Whether something that a lane calls is known to answer, or nothing is known to be down. */
  readonly isServed: (lane: Lane) => boolean;
  readonly idempotency: IdempotencyStore;
  readonly observer: MessagingObserver;
  /** Default: nothing is traced. */
  readonly tracer?: CommandTracer | undefined;
  /** Epoch milliseconds. */
  readonly nowMs: () => number;
  /** 0 to 1. */
  readonly random: () => number;
  /** For commands that come without an identity. */
  readonly newId: () => string;
}
