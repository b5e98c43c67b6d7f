import type { Context } from '@opentelemetry/api';

import type { Deadline } from '#resilience';

/** How far a handler came: what its next run continues from. Small, since it travels in a header. */
export type Progress = Readonly<Record<string, number | boolean>>;

/**
 * What a handler may know of its command beside the data: its second parameter, or one with `@Ctx()`. Only the handler, and
 * what it calls, writes to it.
 *
 * @typeParam Client the client of an operator, as `clientOf` of the options finds it
 */
export abstract class CommandContext<Client = unknown> {
  /** The command's identity. */
  abstract readonly id: string;
  /** The broker user that sent it; `anonymous` without one. */
  abstract readonly caller: string;
  /** Whose credentials to use. */
  abstract readonly operator: string;
  /** With those credentials. */
  abstract readonly client: Client;
  abstract readonly deadline: Deadline;
  /** What the spans of its calls are children of, if it is traced. */
  abstract readonly traceContext: Context | undefined;
  /** Calls to the platform so far; the client counts them. */
  abstract attempts: number;
  /** How far an earlier run came, if the command was postponed; a handler with several replies keeps it up to date. */
  abstract progress: Progress | undefined;
}
