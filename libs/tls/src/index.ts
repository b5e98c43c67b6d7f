export { TlsContext, type TlsMaterial } from './tls-context.ts';
export { type TlsFault, tlsFaultOf } from './tls-fault.ts';
