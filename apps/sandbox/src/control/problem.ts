import { STATUS_CODES } from 'node:http';
import { HttpException, Injectable, type NestMiddleware } from '@nestjs/common';
import { PlatformError } from '../interface/documents.ts';
import { readMembers, type Shape, type ValuesOf, type Violation } from '../interface/members.ts';
import { readBody, type SandboxRequest } from '../traffic/exchange.ts';

/** A refusal of the control API, written as problem details (RFC 9457). */
export class Problem extends HttpException {
  constructor(
    status: number,
    detail: string,
    readonly violations?: readonly Violation[],
  ) {
    super(detail, status);
  }

  /** Converts any failure to a problem. An unexpected failure does not reveal its cause. */
  static from(error: unknown): Problem {
    if (error instanceof Problem) return error;
    if (!(error instanceof HttpException))
      return new Problem(500, 'The sandbox failed; its log has the cause.');
    const { message } = error;
    const status = error.getStatus();
    if (!(error instanceof PlatformError) || status === 413) return new Problem(status, message);
    // the body is valid, but conflicts with the current state
    const { pointer } = error.parts;
    return new Problem(409, message, pointer === undefined ? undefined : [{ pointer, message }]);
  }

  document() {
    const { message: detail, violations } = this;
    const status = this.getStatus();
    return { type: 'about:blank', title: STATUS_CODES[status], status, detail, violations };
  }
}

/**
 * Reads the body of a request.
 * @param at JSON pointer to the object within the body
 * @throws Problem 422 with every violation
 */
export function readControlBody<S extends Shape>(body: unknown, shape: S, at = ''): ValuesOf<S> {
  const refuse = (violations: readonly Violation[]) =>
    new Problem(422, 'The body is not what this resource takes.', violations);
  return readMembers(body, shape, { at }, refuse);
}

/**
 * Parses the JSON body of a request to the control API.
 * @throws Problem 415 for another media type (so that no web page can post here with a plain form), 400 if it
 *   is not JSON
 */
@Injectable()
export class ControlBodyMiddleware implements NestMiddleware {
  async use(request: SandboxRequest, _response: unknown, next: () => void): Promise<void> {
    const body = await readBody(request);
    if (!body) return;
    if (body.length > 0) {
      if (!/^application\/json\s*(;|$)/i.test(request.headers['content-type'] ?? ''))
        throw new Problem(415, 'The body must be application/json.');
      try {
        request.body = JSON.parse(body.toString()) as unknown;
      } catch {
        throw new Problem(400, 'The body is not JSON.');
      }
    }
    next();
  }
}
