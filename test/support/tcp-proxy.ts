import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions, TLSSocket } from 'node:tls';

/** A client's connection and the corresponding connection to the target. */
type Pair = Readonly<{ client: Socket; target: Socket }>;

/**
 * A network path to a server that a test can cut, stall, refuse and repair. With TLS, it terminates TLS in
 * front of a cleartext server, as a load balancer does.
 */
export class TcpProxy implements AsyncDisposable {
  /** Connections accepted so far. */
  accepted = 0;
  /** The subject of each client's certificate, in the order in which they connected. */
  readonly clients: unknown[] = [];
  readonly #target: { readonly host: string; readonly port: number };
  readonly #server: Server;
  readonly #host: string;
  readonly #pairs = new Set<Pair>();
  #port = 0;
  #isStalled = false;

  private constructor(
    target: { readonly host: string; readonly port: number },
    tls?: TlsOptions,
    host = '127.0.0.1',
  ) {
    this.#target = target;
    this.#host = host;
    const onClient = (client: Socket): void => this.#pair(client);
    this.#server = tls ? createTlsServer(tls, onClient) : createServer(onClient);
    this.#server.on('tlsClientError', () => undefined);
  }

  /** Starts listening on a free port. @param host the address to listen on; default: 127.0.0.1 */
  static async start(targetUrl: string, tls?: TlsOptions, host?: string): Promise<TcpProxy> {
    const { hostname, port } = new URL(targetUrl);
    const proxy = new TcpProxy({ host: hostname, port: Number(port) }, tls, host);
    await proxy.open();
    return proxy;
  }

  get port(): number {
    return this.#port;
  }

  /** The https origin of this path, with the host name localhost. */
  get origin(): string {
    return `https://localhost:${this.#port}`;
  }

  get isOpen(): boolean {
    return this.#server.listening;
  }

  /** The open connections, in the order in which they were opened. */
  get connections(): number {
    return this.#pairs.size;
  }

  /** The local ports of these connections as the target sees them, in the same order. */
  get portsAtTarget(): readonly number[] {
    return [...this.#pairs].map(({ target }) => target.localPort ?? 0);
  }

  /** Returns the same URL through this proxy. */
  through(url: string): string {
    const proxied = new URL(url);
    proxied.hostname = '127.0.0.1';
    proxied.port = String(this.#port);
    return proxied.href;
  }

  /** Listens, always on the same port. */
  async open(): Promise<void> {
    this.#server.listen(this.#port, this.#host);
    await once(this.#server, 'listening');
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  /** Stops listening; open connections stay. */
  refuse(): void {
    this.#server.close();
  }

  /**
   * Cuts connections silently, like a broken network.
   *
   * @param which the index of one connection, in the order of opening, or -1 for the last; default: all
   */
  cut(which?: number): void {
    for (const { client, target } of this.#chosen(which)) {
      for (const socket of [client, target])
        if (socket instanceof TLSSocket) socket.destroy();
        else socket.resetAndDestroy();
    }
  }

  /**
   * Stops forwarding in both directions until `resume`. If all are stalled, new connections are accepted and
   * receive no data.
   *
   * @param which as for `cut`
   */
  stall(which?: number): void {
    this.#isStalled = which === undefined;
    for (const { client, target } of this.#chosen(which)) {
      client.pause();
      target.pause();
    }
  }

  resume(): void {
    this.#isStalled = false;
    for (const { client, target } of this.#pairs) {
      client.resume();
      target.resume();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cut();
    if (!this.#server.listening) return;
    this.#server.close();
    await once(this.#server, 'close');
  }

  #chosen(which: number | undefined): readonly Pair[] {
    const pairs = [...this.#pairs];
    return which === undefined ? pairs : pairs.slice(which).slice(0, 1);
  }

  #pair(client: Socket): void {
    const target = connect(this.#target);
    const pair: Pair = { client, target };
    this.accepted += 1;
    if (client instanceof TLSSocket) this.clients.push(client.getPeerCertificate().subject?.CN);
    this.#pairs.add(pair);
    for (const [one, other] of [
      [client, target],
      [target, client],
    ] as const) {
      one.setNoDelay(true);
      one.on('error', () => undefined);
      one.on('data', (chunk) => other.write(chunk));
      one.on('close', () => {
        this.#pairs.delete(pair);
        other.destroy();
      });
    }
    if (!this.#isStalled) return;
    client.pause();
    target.pause();
  }
}
