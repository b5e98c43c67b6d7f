/** W3C trace context. */
export interface TraceContext {
  readonly traceparent?: string;
  readonly tracestate?: string;
}

/** How one command is sent. */
export interface CommandOptions {
  /**
   * The identity of the command, at most 200 bytes: the same id is the same command, so that it is run once however often
   * it is sent. Default: a new UUID.
   */
  readonly id?: string;
  /** Whose credentials the worker uses. Default: that of the caller. */
  readonly operator?: string;
  /**
   * From now, 1 to 1,200,000 ms: nobody wants the answer any more after it. A call settles at most 1.5 s later. Default
   * 15 s, for a report 10 minutes, for a prepared command the budget of the worker from when it arrives there.
   */
  readonly deadlineMs?: number;
  /** Default: that of the caller's `traceContext`. */
  readonly traceContext?: TraceContext;
}

/** How one command is sent and awaited. */
export interface CallOptions extends CommandOptions {
  /** Ends the wait: the call rejects with the signal's reason. A command that was sent is run all the same. */
  readonly signal?: AbortSignal;
}
