import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Server } from 'node:net';

/** Starts listening on a free loopback port, and returns the port. */
export async function listenOnLoopback(server: Server): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port;
}

/** An HTTP server on a free loopback port. */
export abstract class LoopbackServer implements AsyncDisposable {
  readonly server = createServer((request, response) => void this.answer(request, response));

  static async start<Started extends LoopbackServer, Given extends unknown[]>(
    this: new (...given: Given) => Started,
    ...given: Given
  ): Promise<Started> {
    const started = new this(...given);
    await listenOnLoopback(started.server);
    return started;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  protected abstract answer(request: IncomingMessage, response: ServerResponse): unknown;
}
