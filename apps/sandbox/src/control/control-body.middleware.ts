import { Injectable, type NestMiddleware } from '@nestjs/common';
import type { SandboxRequest } from '../traffic/exchange.ts';
import { readBody } from '../traffic/read-body.ts';
import { Problem } from './problem.ts';

/**
 * Reads the JSON body of a request to the control API.
 * @throws Problem 415 for another media type (so that no web page can post here with a plain form), 400 if it is not JSON
 */
@Injectable()
export class ControlBodyMiddleware implements NestMiddleware {
  async use(request: SandboxRequest, _response: unknown, next: () => void): Promise<void> {
    const body = await readBody(request);
    if (!body) return;
    if (body.length > 0) {
      if (!/^application\/json\s*(;|$)/i.test(request.headers['content-type'] ?? ''))
        throw new Problem(415, 'The body must be application/json.');
      request.body = parse(body.toString());
    }
    next();
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Problem(400, 'The body is not JSON.');
  }
}
