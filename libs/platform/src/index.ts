export type { CallContext } from './call-context.ts';
export { type Operation, OPERATIONS } from './operations.ts';
export {
  type CircuitReport,
  type CollectionPage,
  type PageRequest,
  PlatformClient,
} from './platform-client.ts';
export { PlatformClients } from './platform-clients.ts';
export {
  type AttemptResult,
  type CircuitState,
  NoPlatformObserver,
  PlatformObserver,
} from './platform-observer.ts';
export type { OperatorCredentials, PlatformLimits, PlatformSettings } from './platform-settings.ts';
