import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';

import { LoopbackServer } from '../loopback-server.ts';
import { type ReceivedSpan, readSpans } from './read-spans.ts';

type Behaviour = 'takes' | 'refuses' | 'hangs';

/** A collector of traces: OTLP over HTTP, in protobuf, on a real socket. */
export class OtlpReceiver extends LoopbackServer {
  readonly requests: { readonly path: string; readonly headers: IncomingMessage['headers'] }[] = [];
  readonly spans: ReceivedSpan[] = [];
  /** All received bodies, in which tests search for forbidden values. */
  readonly bodies: Buffer[] = [];
  behaviour: Behaviour = 'takes';

  /** Variables with which a worker exports its spans here after a short delay. */
  get variables(): Record<string, string> {
    return { OTEL_EXPORTER_OTLP_ENDPOINT: this.origin, OTEL_BSP_SCHEDULE_DELAY: '20' };
  }

  of(traceId: string): ReceivedSpan[] {
    return this.spans.filter((span) => span.traceId === traceId);
  }

  protected async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request).catch(() => undefined);
    if (body === undefined) return;
    this.requests.push({ path: request.url ?? '', headers: request.headers });
    if (this.behaviour === 'hangs') return;
    if (this.behaviour === 'refuses') {
      response.writeHead(400).end();
      return;
    }
    const content = request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body;
    this.bodies.push(content);
    this.spans.push(...readSpans(content));
    response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
  }
}
