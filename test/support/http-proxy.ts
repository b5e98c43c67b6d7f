import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';

import { LoopbackServer } from './loopback-server.ts';

/** How a proxy handles a request: it forwards it, answers with a status, or does nothing. */
type ProxyBehaviour = 'passes' | 'hangs' | number;

/** An HTTP proxy: opens a tunnel for CONNECT, and sends a request of its own for other methods. */
export class HttpProxy extends LoopbackServer {
  /** The target of each request: host and port for a tunnel, otherwise a URL. */
  readonly targets: string[] = [];
  /** The `Proxy-Authorization` header of each request. */
  readonly credentials: (string | undefined)[] = [];
  behaviour: ProxyBehaviour = 'passes';
  readonly #sockets = new Set<Duplex>();

  constructor() {
    super();
    this.server.on('connection', (socket: Socket) => this.#keep(socket));
    this.server.on('connect', (message: IncomingMessage, socket: Duplex) => this.#tunnel(message, socket));
  }

  /** The number of open connections, including those of tunnels to their targets. */
  get connections(): number {
    return this.#sockets.size;
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    if (this.server.listening) await super[Symbol.asyncDispose]();
  }

  #keep(socket: Duplex): void {
    this.#sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => this.#sockets.delete(socket));
  }

  #note({ url = '', headers }: IncomingMessage): void {
    this.targets.push(url);
    this.credentials.push(headers['proxy-authorization']);
  }

  #tunnel(message: IncomingMessage, socket: Duplex): void {
    this.#note(message);
    if (this.behaviour === 'hangs') {
      socket.resume().on('end', () => socket.end());
      return;
    }
    if (this.behaviour !== 'passes') {
      socket.end(`HTTP/1.1 ${this.behaviour} No\r\n\r\n`);
      return;
    }
    const { hostname, port } = new URL(`http://${message.url}`);
    const target = connect(Number(port), hostname);
    this.#keep(target);
    target.once('connect', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      socket.pipe(target).pipe(socket);
    });
    socket.on('close', () => target.destroy());
    target.on('close', () => socket.destroy());
  }

  protected answer(message: IncomingMessage, response: ServerResponse): void {
    this.#note(message);
    if (this.behaviour === 'hangs') return;
    if (this.behaviour !== 'passes') {
      response.writeHead(this.behaviour).end();
      return;
    }
    const { method, headers, url = '' } = message;
    const { 'proxy-authorization': _, ...passedOn } = headers;
    const onward = request(url, { method, headers: passedOn }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    response.on('close', () => onward.destroy());
    message.pipe(onward);
  }
}
