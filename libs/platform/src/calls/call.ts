import type { Context } from '@opentelemetry/api';
import type { Dispatcher } from 'undici';

import type { CommandData } from '#contracts';
import type { Admission, Clock, Deadline, Random } from '#resilience';

import type { Operation } from '../operations/operation.ts';
import type { PlatformRequest } from '../operations/request.ts';
import type { PlatformObserver, PlatformTracer } from '../platform-observer.ts';
import type { OperatorCredentials, PlatformLimits, PlatformTransport } from '../platform-settings.ts';
import type { Connections } from '../transport/connections.ts';

/** The state of one command that its calls share and change. */
export interface CallContext {
  readonly deadline: Deadline;
  /** No attempt starts once it is not alive: another worker may have the command. Default: it always is. */
  readonly delivery?: { readonly isAlive: boolean };
  /** Who sent the command: callers share the connections. Default: a caller without a name. */
  readonly caller?: string;
  /** Attempts that were started for this command. */
  attempts: number;
  /** When the attempt in flight began, by `performance.now()`. */
  unansweredSinceMs?: number | undefined;
  /** What the spans of its attempts are children of. Default: they are not traced. */
  readonly traceContext?: Context | undefined;
}

/** The parts that all operations of one operator share. */
export interface OperatorContext {
  /** The operator. */
  readonly name: string;
  readonly limits: PlatformLimits;
  readonly transport: PlatformTransport;
  readonly admission: Admission;
  /** Aborted when the client is closed: ends the pauses between attempts. */
  readonly stopping: AbortSignal;
  /** Default: nothing is observed. */
  readonly observer?: PlatformObserver;
  /** Default: nothing is traced. */
  readonly tracer?: PlatformTracer | undefined;
  /** Steady. */
  readonly clock: Clock;
  readonly random: Random;
}

/** One call: what is sent, to where, and by whom. */
export interface Call<O extends Operation> {
  readonly credentials: OperatorCredentials;
  /** The data of the command; no error repeats them. */
  readonly data: CommandData[O];
  readonly request: Pick<PlatformRequest, 'method' | 'pathTemplate' | 'root' | 'repeatAfterUnknown'>;
  readonly connections: Connections;
  /** The request with its signature. */
  readonly options: Dispatcher.DispatchOptions;
}
