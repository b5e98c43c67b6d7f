/**
 * What became of one attempt at a call.
 *
 * @template Answer what the other side said
 * @template Fault what went wrong, for the error that ends the call
 */
export type AttemptOutcome<Answer, Fault> =
  | { readonly kind: 'answered'; readonly answer: Answer }
  /** Answered with a failure that passes by itself. */
  | { readonly kind: 'passing'; readonly fault: Fault; readonly retryAfterMs: number | undefined }
  /** Not a byte left: the other side knows nothing of it. */
  | { readonly kind: 'not-sent'; readonly fault: Fault }
  /** Sent and without a whole answer: nobody here knows what it did. */
  | { readonly kind: 'unknown'; readonly fault: Fault }
  /** Held back on this side, for example by an open circuit: no call was made. */
  | { readonly kind: 'held-back'; readonly fault: Fault }
  | { readonly kind: 'expired' };
