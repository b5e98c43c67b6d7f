export { Admission, type AdmissionLimits } from './admission/admission.ts';
export {
  type Admittance,
  type Compartment,
  isOverload,
  type Priority,
  type Ticket,
} from './admission/compartment.ts';
export { type Share, Shares } from './admission/shares.ts';
export { Window } from './admission/window.ts';
export { Circuit, type CircuitSettings, type CircuitState, type Health } from './circuit/circuit.ts';
export { type Clock, type Random, steadyClock } from './clock.ts';
export { Abandoned, Deadline, DeadlineExceeded } from './deadline.ts';
export { Attempts, type RepeatAfterUnknown, RetryBudget, type RetryRules } from './retry/retry.ts';
export { readRetryAfter } from './retry/retry-after.ts';
