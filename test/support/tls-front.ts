import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { createServer, type Server, type TlsOptions } from 'node:tls';

/** An encrypted front of a server that speaks cleartext, as a load balancer is; by default no client is asked who it is. */
export class TlsFront implements AsyncDisposable {
  /** The subject of each client's certificate, in the order in which they connected. */
  readonly clients: (string | string[] | undefined)[] = [];
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(server: Server) {
    this.#server = server;
  }

  /** @param target an `http:` URL */
  static async start(target: string, options: TlsOptions): Promise<TlsFront> {
    const { hostname, port } = new URL(target);
    const front = new TlsFront(
      createServer(options, (socket) => {
        const { subject } = socket.getPeerCertificate();
        front.clients.push(subject?.CN);
        const behind = connect(Number(port), hostname);
        for (const [one, other] of [
          [socket, behind],
          [behind, socket],
        ] as const) {
          front.#sockets.add(one);
          one
            .on('error', () => undefined)
            .on('close', () => {
              front.#sockets.delete(one);
              other.destroy();
            });
          one.pipe(other);
        }
      }),
    );
    front.#server.on('tlsClientError', () => undefined).listen(0, '127.0.0.1');
    await once(front.#server, 'listening');
    return front;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Its address, with the name of this machine. */
  get origin(): string {
    return `https://localhost:${this.port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
