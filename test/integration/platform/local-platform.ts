import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

import { type PlatformBehaviour, type PlatformRequest, PlatformStub } from '../../support/platform-stub.ts';

export type Behaviour = PlatformBehaviour;

/** A platform that answers from a script and counts open sockets and requests. */
export class LocalPlatform extends PlatformStub {
  /** The maximum number of concurrent unanswered requests. */
  maxInFlight = 0;
  connections = 0;
  readonly #sockets = new Set<Socket>();
  readonly #script: Behaviour[] = [];
  #otherwise: Behaviour;
  #inFlight = 0;

  constructor(otherwise: Behaviour) {
    super((...exchange) => (this.#script.shift() ?? this.#otherwise)(...exchange));
    this.#otherwise = otherwise;
    // Longer than a client should rely on.
    this.server.keepAliveTimeout = 60_000;
    this.server.on('connection', (socket) => {
      this.connections += 1;
      this.#sockets.add(socket);
      socket.on('error', () => undefined).on('close', () => this.#sockets.delete(socket));
    });
    this.server.on('request', (_request, response) => {
      this.maxInFlight = Math.max(this.maxInFlight, (this.#inFlight += 1));
      response.on('close', () => (this.#inFlight -= 1));
    });
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
}

export function targetOf({ url }: PlatformRequest): string {
  return url.pathname + url.search;
}

/** Answers with a document, or with a text unchanged. */
export function answers(
  status: number,
  body: unknown = '',
  headers: Readonly<Record<string, string | string[]>> = {},
): Behaviour {
  const text = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
  return (_request, response) =>
    void response.writeHead(status, { 'content-type': 'application/vnd.api+json', ...headers }).end(text);
}

/** Answers requests whose path contains a text in one way, and all others in another. */
export function answersTo(part: string, behaviour: Behaviour, otherwise: Behaviour): Behaviour {
  return (...exchange) => (exchange[0].url.pathname.includes(part) ? behaviour : otherwise)(...exchange);
}

export function answersAfter(delayMs: number, behaviour: Behaviour): Behaviour {
  return (...exchange) => sleep(delayMs).then(() => behaviour(...exchange));
}

/** Reads and processes the request, and closes the connection without an answer. */
export const resets: Behaviour = (_request, _response, socket) => void socket.destroy();

export const answersMail: Behaviour = (_request, _response, socket) =>
  void socket.end('220 mail.example\r\n');

/** Sends the headers and half of the body, and closes the connection. */
export function truncates(status: number, document: unknown): Behaviour {
  return (_request, response, socket) => {
    const text = JSON.stringify(document);
    response.writeHead(status, { 'content-length': String(text.length) });
    response.write(text.slice(0, text.length / 2), () => socket.destroy());
  };
}

/** Sends a byte every 20 ms without ever completing the answer. */
export function drips(status: number, document: unknown): Behaviour {
  return (_request, response) => {
    const text = JSON.stringify(document);
    response.writeHead(status, { 'content-length': String(text.length) });
    const bytes = text.slice(0, -1)[Symbol.iterator]();
    const timer = setInterval(() => response.write(bytes.next().value ?? ''), 20);
    response.on('close', () => clearInterval(timer));
  };
}
