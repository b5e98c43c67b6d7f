import { STATUS_CODES } from 'node:http';
import { HttpException, Injectable, type NestMiddleware } from '@nestjs/common';
import { PlatformError } from '../interface/documents.ts';
import { violationsOf, type Shape, type Violation } from '../interface/members.ts';
import { readBody, type SandboxRequest } from '../traffic/exchange.ts';

/** A refusal of the control API, written as problem details (RFC 9457). */
export class Problem extends Error {
  static readonly MEDIA_TYPE = 'application/problem+json';

  override readonly name = 'Problem';

  constructor(
    readonly status: number,
    readonly detail: string,
    readonly violations: readonly Violation[] = [],
  ) {
    super(detail);
  }

  /** Turns any failure into a problem; an unexpected one says nothing about its cause. */
  static from(error: unknown, status: number): Problem {
    if (error instanceof Problem) return error;
    const { message } = error as Error;
    // the body fits, and what is there already does not allow it
    if (error instanceof PlatformError && status !== 413) {
      const { pointer } = error.parts;
      return new Problem(409, message, pointer === undefined ? [] : [{ pointer, message }]);
    }
    const isOwn = error instanceof HttpException || status < 500;
    return new Problem(status, isOwn ? message : 'The sandbox failed; its log has the cause.');
  }

  document() {
    return {
      type: 'about:blank',
      title: STATUS_CODES[this.status],
      status: this.status,
      detail: this.detail,
      ...(this.violations.length > 0 && { violations: this.violations }),
    };
  }
}

/**
 * Checks the body of a request.
 * @param at JSON pointer to the object within the body
 * @throws Problem 422 with every violation
 */
export function checkBody<T extends object>(body: unknown, shape: Shape, at = ''): T {
  const violations = violationsOf(body, shape, { at });
  if (violations.length > 0) throw new Problem(422, 'The body is not what this resource takes.', violations);
  return body as T;
}

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
