import { STATUS_CODES } from 'node:http';
import { HttpException, Injectable, type NestMiddleware } from '@nestjs/common';
import { PlatformError } from '../interface/documents.ts';
import { readMembers, type Shape, type ValuesOf, type Violation } from '../interface/members.ts';
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
    const { status, detail, violations } = this;
    const more = violations.length > 0 && { violations };
    return { type: 'about:blank', title: STATUS_CODES[status], status, detail, ...more };
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
  return readMembers(body, shape, refuse, { at });
}

/**
 * Parses the JSON body of a request to the control API.
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
      try {
        request.body = JSON.parse(body.toString());
      } catch {
        throw new Problem(400, 'The body is not JSON.');
      }
    }
    next();
  }
}
