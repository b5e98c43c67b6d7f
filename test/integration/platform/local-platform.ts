import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { text as wholeText } from 'node:stream/consumers';

/** One received request. */
export interface Received {
  readonly method: string;
  readonly url: URL;
  /** The raw path and query. */
  readonly target: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface Exchange {
  readonly request: Received;
  readonly response: ServerResponse;
  readonly socket: Socket;
}

/** How the platform answers one request. */
export type Behaviour = (exchange: Exchange) => void | Promise<void>;

/** A real HTTP server on a free port of this machine, whose behaviour each test sets. */
export class LocalPlatform {
  readonly received: Received[] = [];
  /** The most requests that were unanswered at the same time. */
  maxInFlight = 0;
  connections = 0;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #script: Behaviour[] = [];
  #otherwise: Behaviour = answers(404);
  #inFlight = 0;

  private constructor(server: Server) {
    this.#server = server;
    server.on('connection', (socket) => {
      this.connections += 1;
      this.#sockets.add(socket);
      socket.on('error', () => undefined).on('close', () => this.#sockets.delete(socket));
    });
    server.on('request', (request, response) => void this.#serve(request, response));
  }

  static async start(otherwise?: Behaviour): Promise<LocalPlatform> {
    const server = createServer();
    // Longer than a client should rely on.
    server.keepAliveTimeout = 60_000;
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const platform = new LocalPlatform(server);
    if (otherwise) platform.always(otherwise);
    return platform;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get openSockets(): number {
    return this.#sockets.size;
  }

  /** The behaviours for the next requests, in order. */
  next(...behaviours: Behaviour[]): this {
    this.#script.push(...behaviours);
    return this;
  }

  always(behaviour: Behaviour): this {
    this.#otherwise = behaviour;
    return this;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.#inFlight += 1;
    this.maxInFlight = Math.max(this.maxInFlight, this.#inFlight);
    response.on('close', () => {
      this.#inFlight -= 1;
    });
    // Its sender may have been killed, or have given up.
    const body = await wholeText(request).catch(() => undefined);
    if (body === undefined || !this.#server.listening) return;
    const received: Received = {
      method: request.method ?? '',
      url: new URL(request.url ?? '', this.origin),
      target: request.url ?? '',
      headers: request.headers,
      body,
    };
    this.received.push(received);
    const behaviour = this.#script.shift() ?? this.#otherwise;
    await behaviour({ request: received, response, socket: request.socket });
  }
}

/** Answers with a document, or with a text unchanged. */
export function answers(
  status: number,
  body: unknown = '',
  headers: Readonly<Record<string, string>> = {},
): Behaviour {
  return ({ response }) => {
    const text = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
    response.writeHead(status, { 'content-type': 'application/vnd.api+json', ...headers }).end(text);
  };
}

/** Reads the request, carries it out, and closes the connection without an answer. */
export const resets: Behaviour = ({ socket }) => void socket.destroy();

export const neverAnswers: Behaviour = () => undefined;

export function answersAfter(delayMs: number, behaviour: Behaviour): Behaviour {
  return async (exchange) => {
    await new Promise((resolve) => setTimeout(resolve, delayMs));
    await behaviour(exchange);
  };
}

/** Sends the head and half of the body, and closes the connection. */
export function truncates(status: number, document: unknown): Behaviour {
  return ({ response, socket }) => {
    const text = JSON.stringify(document);
    response.writeHead(status, { 'content-length': String(text.length) });
    response.write(text.slice(0, text.length / 2), () => socket.destroy());
  };
}

/** Sends a byte every 20 ms, and never ends. */
export function drips(status: number, document: unknown): Behaviour {
  return ({ response }) => {
    const text = JSON.stringify(document);
    response.writeHead(status, { 'content-length': String(text.length) });
    let sent = 0;
    const timer = setInterval(() => {
      if (sent < text.length - 1) response.write(text[sent]);
      sent += 1;
    }, 20);
    response.on('close', () => clearInterval(timer));
  };
}
