import type { Dispatcher } from 'undici';

import type { OperatorCredentials, PlatformLimits, PlatformTransport } from '../platform-settings.ts';
import { type Answer, Connection, type Unanswered } from './connection.ts';
import { type Route, routeTo } from './route.ts';

/** undici's own timeouts are a backstop behind that of an attempt. */
const BACKSTOP_MS = 2000;

/** The connections of one operator to one origin. The admission bounds how many there are. */
export class Connections {
  readonly route: Route;
  readonly #backstopMs: number;
  readonly #all = new Set<Connection>();
  /** The one that was used last is used next: it is the least likely to be closing. */
  readonly #idle: Connection[] = [];
  #isRetired = false;

  constructor(origin: string, attemptTimeoutMs: number, transport: PlatformTransport = {}) {
    this.#backstopMs = attemptTimeoutMs + BACKSTOP_MS;
    this.route = routeTo(origin, transport, this.#backstopMs);
  }

  /** Sends a request over a connection that carries no other one; limits as of {@link Connection.request}. */
  request(
    options: Dispatcher.DispatchOptions,
    timeoutMs: number,
    maxAnswerBytes: number,
  ): Promise<Answer | Unanswered> {
    const connection = this.#idle.pop() ?? new Connection(this.route, this.#backstopMs, this.#onEnd);
    this.#all.add(connection);
    return connection.request(options, timeoutMs, maxAnswerBytes);
  }

  /** Lets calls in flight end, and keeps no connection after them. */
  retire(): void {
    this.#isRetired = true;
    for (const connection of this.#idle.splice(0)) this.#onEnd(connection, false);
  }

  async close(): Promise<void> {
    this.#isRetired = true;
    await Promise.all([...this.#all].map((connection) => connection.destroy()));
  }

  readonly #onEnd = (connection: Connection, isReusable: boolean): void => {
    if (isReusable && !this.#isRetired) {
      this.#idle.push(connection);
      return;
    }
    if (!this.#all.delete(connection)) return;
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
): { readonly baseUrl: Root; readonly apiUrl: Root } {
  const opened = new Map<string, Connections>();
  const rootOf = (address: string): Root => {
    const { origin, pathname } = new URL(address);
    const connections = opened.get(origin) ?? new Connections(origin, limits.attemptTimeoutMs, transport);
    opened.set(origin, connections);
    return { connections, prefix: connections.route.prefix + pathname.replace(/\/+$/, '') };
  };
  return { baseUrl: rootOf(baseUrl), apiUrl: rootOf(apiUrl) };
}
