/** What can be made to go wrong with a request, by `kind`. */
export type Fault =
  /** The answer waits `fixedMs` and a random part of `spreadMs`; combines with one other fault. */
  | { readonly kind: 'latency'; readonly fixedMs: number; readonly spreadMs: number }
  /** An error document instead of processing; `retryAfter` is the header's value, seconds or a date. */
  | { readonly kind: 'status'; readonly status: number; readonly retryAfter?: string };

export type FaultKind = Fault['kind'];
