export { TlsContext, type TlsFault, tlsFaultOf, type TlsMaterial } from './tls-context.ts';
