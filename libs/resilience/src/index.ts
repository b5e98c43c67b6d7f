export { Admission, type Admittance, type Priority } from './admission/admission.ts';
export { Circuit, type CircuitPass, type CircuitState, type Health } from './circuit/circuit.ts';
export type { Clock, Random } from './clock.ts';
export { Deadline, DeadlineExceeded } from './deadline.ts';
export type { AttemptOutcome } from './retry/attempt-outcome.ts';
export type { RepeatAfterUnknown } from './retry/is-retryable.ts';
export { type CallEnd, retry, type RetryRules } from './retry/retry.ts';
export { parseRetryAfter } from './retry/retry-after.ts';
export { RetryBudget } from './retry/retry-budget.ts';
