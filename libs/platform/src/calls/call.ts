import type { Context } from '@opentelemetry/api';
import type { Dispatcher } from 'undici';

import type { CommandData } from '#contracts';
import type { Admission, Clock, Deadline, Random } from '#resilience';

import type { Operation } from '../operations/operation.ts';
import type { PlatformRequest } from '../operations/request.ts';
import type { PlatformObserver, PlatformTracer } from '../platform-observer.ts';
import type { OperatorCredentials, PlatformLimits, PlatformTransport } from '../platform-settings.ts';
import type { Connections } from '../transport/connections.ts';

/** Mutable state of one command, shared by its calls. */
export interface CallContext {
  readonly deadline: Deadline;
  /**
   * No attempt starts once the delivery has ended, because another worker may have the command. Default:
   * always alive.
   */
  readonly delivery?: { readonly isAlive: boolean };
  /**
   * The sender of the command, used to share connections fairly between callers. Default: an unnamed caller.
   */
  readonly caller?: string;
  /** The command's id. Default: nothing is derived from it. */
  readonly id?: string;
  /** Number of attempts started for this command. */
  attempts: number;
  /** Start of the in-flight attempt, from `performance.now()`. */
  unansweredSinceMs?: number | undefined;
  /** True while a call waits for a connection. */
  isWaiting?: boolean;
  /** Parent context for the spans of the attempts. Default: attempts are not traced. */
  readonly traceContext?: Context | undefined;
}

/** Components shared by all operations of one operator. */
export interface OperatorContext {
  readonly name: string;
  readonly limits: PlatformLimits;
  readonly transport: PlatformTransport;
  readonly admission: Admission;
  /** Aborted when the client is closed, which ends the delays between attempts. */
  readonly stopping: AbortSignal;
  /** Default: nothing is observed. */
  readonly observer?: PlatformObserver;
  /** Default: nothing is traced. */
  readonly tracer?: PlatformTracer | undefined;
  /** A monotonic clock. */
  readonly clock: Clock;
  readonly random: Random;
}

/** One call: the request, its destination and its credentials. */
export interface Call<O extends Operation> {
  readonly credentials: OperatorCredentials;
  /** The data of the command, never included in errors. */
  readonly data: CommandData[O];
  readonly request: Pick<PlatformRequest, 'method' | 'pathTemplate' | 'root' | 'repeatAfterUnknown'>;
  readonly connections: Connections;
  readonly options: Dispatcher.DispatchOptions;
}
