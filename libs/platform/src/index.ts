export type { CircuitState } from '#resilience';
export type { CollectionPage } from './answers/read-collection.ts';
export { AD_HOC_RECORD } from './answers/read-record.ts';
export { Slices } from './answers/slices.ts';
export { type Operation, OPERATIONS } from './operations.ts';
export type { CallContext, CircuitReport, OperationReport } from './calls/operation-calls.ts';
export { PlatformClient } from './platform-client.ts';
export { PlatformClients } from './platform-clients.ts';
export { askOnce, faultCodeOf, type Question } from './ask-once.ts';
export {
  type AttemptResult,
  PlatformObserver,
  PlatformTracer,
  type RefusalReason,
} from './platform-observer.ts';
export type {
  OperatorCredentials,
  PlatformLimits,
  PlatformSettings,
  PlatformTransport,
} from './platform-settings.ts';
export { type PageRequest, requestOf } from './requests.ts';
export { type Ask, Names } from './transport/names.ts';
