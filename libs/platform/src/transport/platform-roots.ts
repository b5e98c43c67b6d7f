import type { OperatorCredentials } from '../platform-settings.ts';
import { Connections } from './connections.ts';

/** Where the requests under one root go. */
interface Root {
  readonly connections: Connections;
  /** The path of the root, which precedes that of a request. */
  readonly prefix: string;
}

/** The two roots of an operator's platform. If they have the same origin, they share its connections. */
export class PlatformRoots {
  readonly baseUrl: Root;
  readonly apiUrl: Root;

  constructor(credentials: Pick<OperatorCredentials, 'baseUrl' | 'apiUrl'>, attemptTimeoutMs: number) {
    const base = new URL(credentials.baseUrl);
    const api = new URL(credentials.apiUrl);
    const connections = new Connections(base.origin, attemptTimeoutMs);
    this.baseUrl = { connections, prefix: prefixOf(base) };
    this.apiUrl = {
      connections: api.origin === base.origin ? connections : new Connections(api.origin, attemptTimeoutMs),
      prefix: prefixOf(api),
    };
  }

  async close(): Promise<void> {
    await Promise.all([this.baseUrl.connections.close(), this.apiUrl.connections.close()]);
  }
}

function prefixOf({ pathname }: URL): string {
  return pathname.replace(/\/+$/, '');
}
