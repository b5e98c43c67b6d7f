export type { CircuitState } from '#resilience';
export type { CollectionPage } from './answers/read-collection.ts';
export { AD_HOC_RECORD } from './answers/read-record.ts';
export { CooperativeTask } from './answers/cooperative-task.ts';
export type { CallContext } from './calls/call.ts';
export type { CircuitReport, OperationReport } from './calls/operation-calls.ts';
export { NOBODY, UNKNOWN_AUTH_TYPE } from './operations/launch.ts';
export type { Operation, PageRequest, Result } from './operations/operation.ts';
export { DEFINITIONS, OPERATIONS } from './operations/operations.ts';
export { requestOf } from './operations/request.ts';
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
export { DnsCache, type Resolve } from './transport/dns-cache.ts';
