/** What a process takes first, until as many are settled or it has lived for a while: one of them may kill it. */
export const FIRST_PREFETCH = 64;

/** A consumer in the words of health. */
export type ConsumerState = 'waiting for the broker' | 'consuming' | 'paused' | 'draining' | 'stopped';

/** What it is meant to do; each mode holds what is valid in it alone. */
export type Mode =
  | { readonly kind: 'consuming' }
  /** Takes some at first, or one at a time after a pause, until more were delivered than before and can be served. */
  | { readonly kind: 'probing'; readonly prefetch: number; readonly deliveriesBefore: number }
  /** On purpose, for a while. */
  | { readonly kind: 'paused'; readonly timer: NodeJS.Timeout }
  | { readonly kind: 'draining'; readonly onEmpty: () => void }
  | { readonly kind: 'stopped' };

export const CONSUMING: Mode = { kind: 'consuming' };
/** A new process does not take all that the one before it may have died of. */
export const CAUTIOUS: Mode = {
  kind: 'probing',
  prefetch: FIRST_PREFETCH,
  deliveriesBefore: 2 * FIRST_PREFETCH - 1,
};
