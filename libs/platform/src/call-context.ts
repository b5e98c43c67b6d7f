import type { Deadline } from '#resilience';

/** What the calls for one command share; one a command, and changed by each call. */
export interface CallContext {
  readonly deadline: Deadline;
  /** Calls to the platform that were started for this command. */
  attempts: number;
}
