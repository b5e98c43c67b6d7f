import type { Context } from '@opentelemetry/api';

import type { Deadline } from '#resilience';

import type { Progress } from './progress.ts';

/** What a handler may know of its command beside the data; Nest hands it to a parameter with `@Ctx()`. */
export abstract class CommandContext {
  /** The command's identity. */
  abstract readonly id: string;
  /** The broker user that sent it; `anonymous` without one. */
  abstract readonly caller: string;
  /** Whose credentials to use. */
  abstract readonly operator: string;
  abstract readonly deadline: Deadline;
  /** What the spans of its calls are children of, if it is traced. */
  abstract readonly traceContext: Context | undefined;
  /** Calls to the platform so far, counted by the one who makes them. */
  attempts = 0;
  /** How far an earlier run came, if the command was postponed; a handler with several replies keeps it up to date. */
  progress: Progress | undefined;
}
