import type { OperatorCredentials, PlatformTransport } from '../platform-settings.ts';
import { Connection } from './connection.ts';
import { type Route, routeTo } from './route.ts';

/** The connections of one operator to one origin. Admission control limits their number. */
export class Connections {
  readonly route: Route;
  /**
   * Idle connections. The most recently used one is reused first, because it is the least likely to be
   * closing.
   */
  readonly #idle: Connection[] = [];
  #isRetired = false;

  /** @param open contains each connection until it ends */
  constructor(
    origin: string,
    transport: PlatformTransport,
    private readonly open: Set<Connection>,
  ) {
    this.route = routeTo(origin, transport);
  }

  /** Returns an idle connection, or a new one. */
  acquire(): Connection {
    const connection = this.#idle.pop() ?? new Connection(this.route, this.#onEnd);
    this.open.add(connection);
    return connection;
  }

  /** Lets in-flight calls finish, and then closes their connections. */
  retire(): void {
    this.#isRetired = true;
    for (const connection of this.#idle.splice(0)) this.#onEnd(connection, false);
  }

  readonly #onEnd = (connection: Connection, isReusable: boolean): void => {
    if (isReusable && !this.#isRetired) return void this.#idle.push(connection);
    if (!this.open.delete(connection)) return;
    const index = this.#idle.indexOf(connection);
    if (index !== -1) this.#idle.splice(index, 1);
    void connection.destroy();
  };
}

/** The destination of requests under one root URL. */
export interface Root {
  readonly connections: Connections;
  readonly prefix: string;
}

/** Returns the two roots of an operator's platform. Roots with the same origin share connections. */
export function rootsOf(
  { baseUrl, apiUrl }: Pick<OperatorCredentials, 'baseUrl' | 'apiUrl'>,
  transport: PlatformTransport,
  open: Set<Connection>,
) {
  const byOrigin = new Map<string, Connections>();
  const rootOf = (address: string): Root => {
    const { origin, pathname } = new URL(address);
    const connections = byOrigin.get(origin) ?? new Connections(origin, transport, open);
    byOrigin.set(origin, connections);
    return { connections, prefix: connections.route.prefix + pathname.replace(/\/+$/, '') };
  };
  return { baseUrl: rootOf(baseUrl), apiUrl: rootOf(apiUrl) };
}
