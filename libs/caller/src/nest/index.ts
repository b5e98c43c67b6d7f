export { CallerModule, type CallerModuleAsyncOptions } from './caller.module.ts';
export { CallerClientProxy } from './caller-client-proxy.ts';
