import type { Context } from '@opentelemetry/api';

import type { Deadline } from '#resilience';

/** What all calls for one command share; each of them changes it. */
export interface CallContext {
  readonly deadline: Deadline;
  /** Attempts that were started for this command. */
  attempts: number;
  /** What the spans of its attempts are children of. Default: they are not traced. */
  readonly traceContext?: Context | undefined;
}
