/**
 * The outcome of one attempt of a call.
 *
 * @template Answer what the other side answered
 * @template Fault what went wrong, for the error that ends the call
 */
export type AttemptOutcome<Answer, Fault> =
  | { readonly kind: 'answered'; readonly answer: Answer }
  /** Answered with a failure that is expected to pass. */
  | { readonly kind: 'transient'; readonly fault: Fault; readonly retryAfterMs: number | undefined }
  /** Not a byte was sent: the other side knows nothing of it. */
  | { readonly kind: 'not-sent'; readonly fault: Fault }
  /** Sent, and not answered completely: nobody here knows what the other side did. */
  | { readonly kind: 'unknown'; readonly fault: Fault }
  /** Rejected on this side, for example by an open circuit: nothing was attempted. */
  | { readonly kind: 'rejected'; readonly fault: Fault }
  /** The deadline passed. */
  | { readonly kind: 'expired' };
