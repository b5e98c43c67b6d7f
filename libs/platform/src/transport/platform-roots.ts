import type { OperatorCredentials, PlatformTransport } from '../platform-settings.ts';
import { Connections } from './connections.ts';

/** Where the requests under one root go. */
interface Root {
  readonly connections: Connections;
  /** What precedes the path of a request. */
  readonly prefix: string;
}

/** The two roots of an operator's platform. If they have the same origin, they share its connections. */
export class PlatformRoots {
  readonly baseUrl: Root;
  readonly apiUrl: Root;

  constructor(
    credentials: Pick<OperatorCredentials, 'baseUrl' | 'apiUrl'>,
    attemptTimeoutMs: number,
    transport: PlatformTransport,
  ) {
    const base = new URL(credentials.baseUrl);
    const api = new URL(credentials.apiUrl);
    const connections = new Connections(base.origin, attemptTimeoutMs, transport);
    this.baseUrl = rootOf(base, connections);
    this.apiUrl = rootOf(
      api,
      api.origin === base.origin ? connections : new Connections(api.origin, attemptTimeoutMs, transport),
    );
  }

  /** Lets calls in flight end, and keeps no connection after them. */
  retire(): void {
    this.baseUrl.connections.retire();
    this.apiUrl.connections.retire();
  }

  async close(): Promise<void> {
    await Promise.all([this.baseUrl.connections.close(), this.apiUrl.connections.close()]);
  }
}

function rootOf({ pathname }: URL, connections: Connections): Root {
  return { connections, prefix: connections.route.prefix + pathname.replace(/\/+$/, '') };
}
