import type { OperatorCredentials, PlatformLimits, PlatformTransport } from '../platform-settings.ts';
import { Connection } from './connection.ts';
import { type Route, routeTo } from './route.ts';

/** undici's own timeouts are a backstop behind that of an attempt. */
const BACKSTOP_MS = 2000;

/** The connections of one operator to one origin. The admission bounds how many there are. */
export class Connections {
  readonly route: Route;
  readonly #backstopMs: number;
  /** The one that was used last is used next: it is the least likely to be closing. */
  readonly #idle: Connection[] = [];
  #isRetired = false;

  /** @param open holds each connection until it ends */
  constructor(
    origin: string,
    attemptTimeoutMs: number,
    transport: PlatformTransport,
    private readonly open: Set<Connection>,
  ) {
    this.#backstopMs = attemptTimeoutMs + BACKSTOP_MS;
    this.route = routeTo(origin, transport, this.#backstopMs);
  }

  /** A connection for one request. */
  take(): Connection {
    const connection = this.#idle.pop() ?? new Connection(this.route, this.#backstopMs, this.#onEnd);
    this.open.add(connection);
    return connection;
  }

  /** Lets calls in flight end, and keeps no connection after them. */
  retire(): void {
    this.#isRetired = true;
    for (const connection of this.#idle.splice(0)) this.#onEnd(connection, false);
  }

  readonly #onEnd = (connection: Connection, isReusable: boolean): void => {
    if (isReusable && !this.#isRetired) {
      this.#idle.push(connection);
      return;
    }
    if (!this.open.delete(connection)) return;
    const index = this.#idle.indexOf(connection);
    if (index !== -1) this.#idle.splice(index, 1);
    void connection.destroy();
  };
}

/** Where the requests under one root go. */
export interface Root {
  readonly connections: Connections;
  /** What precedes the path of a request. */
  readonly prefix: string;
}

/** The two roots of an operator's platform. If they have the same origin, they share its connections. */
export function rootsOf(
  { baseUrl, apiUrl }: Pick<OperatorCredentials, 'baseUrl' | 'apiUrl'>,
  { limits, transport }: { readonly limits: PlatformLimits; readonly transport: PlatformTransport },
  open: Set<Connection>,
) {
  const byOrigin = new Map<string, Connections>();
  const rootOf = (address: string): Root => {
    const { origin, pathname } = new URL(address);
    const connections =
      byOrigin.get(origin) ?? new Connections(origin, limits.attemptTimeoutMs, transport, open);
    byOrigin.set(origin, connections);
    return { connections, prefix: connections.route.prefix + pathname.replace(/\/+$/, '') };
  };
  return { baseUrl: rootOf(baseUrl), apiUrl: rootOf(apiUrl) };
}
