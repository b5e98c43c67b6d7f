import { ExpressAdapter } from '@nestjs/platform-express';
import type { ServerResponse } from 'node:http';
import { deliver } from '../faults/deliver.ts';
import type { SandboxRequest } from '../traffic/exchange.ts';
import { exactJson } from '../json-api/exact-json.ts';
import { JSON_API, sendAnswer } from '../json-api/send-answer.ts';

/**
 * Express under Nest, with one difference: what a handler returns is written here, in one piece and with the
 * media type of the interface, and faults of delivery are injected here.
 */
export class JsonApiAdapter extends ExpressAdapter {
  override reply(response: ServerResponse & { req: SandboxRequest }, body: unknown, status?: number) {
    const { exchange } = response.req;
    const answer = {
      status: status ?? response.statusCode,
      contentType: String(response.getHeader('content-type') ?? (exchange ? JSON_API : 'application/json')),
      body: body === undefined ? '' : typeof body === 'string' ? body : exactJson(body),
    };
    if (exchange) {
      if (answer.status < 400) exchange.onProcessed();
      deliver(response, answer, exchange.planned.fault);
    } else sendAnswer(response, answer);
  }
}
