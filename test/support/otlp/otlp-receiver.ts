import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';

import { type ReceivedSpan, readSpans } from './read-spans.ts';

type Answer = 'take' | 'refuse' | 'hang';

/** A collector of traces: OTLP over HTTP, in protobuf, on a real socket. */
export class OtlpReceiver implements AsyncDisposable {
  readonly requests: { readonly path: string; readonly headers: IncomingMessage['headers'] }[] = [];
  readonly spans: ReceivedSpan[] = [];
  /** Everything that came, for what must not be in it. */
  readonly bodies: Buffer[] = [];
  answer: Answer = 'take';
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => void this.#receive(request, response));
  }

  static async start(): Promise<OtlpReceiver> {
    const receiver = new OtlpReceiver();
    await new Promise<void>((resolve) => receiver.#server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The variables that have a worker send its spans here, soon. */
  get variables(): Record<string, string> {
    return { OTEL_EXPORTER_OTLP_ENDPOINT: this.url, OTEL_BSP_SCHEDULE_DELAY: '20' };
  }

  of(traceId: string): ReceivedSpan[] {
    return this.spans.filter((span) => span.traceId === traceId);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request).catch(() => undefined);
    if (body === undefined) return;
    this.requests.push({ path: request.url ?? '', headers: request.headers });
    if (this.answer === 'hang') return;
    if (this.answer === 'refuse') {
      response.writeHead(400).end();
      return;
    }
    const content = request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body;
    this.bodies.push(content);
    this.spans.push(...readSpans(content));
    response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
  }
}
