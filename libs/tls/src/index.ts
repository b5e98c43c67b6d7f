export { type Attempts, connectByName, connectSocket, type OnConnected } from './connect-by-name.ts';
export { TlsContext, type TlsFault, tlsFaultOf, type TlsMaterial } from './tls-context.ts';
