import { STATUS_CODES } from 'node:http';
import { HttpException } from '@nestjs/common';

/** One fault of a request to the control API. */
export interface Violation {
  /** JSON pointer into the request's body. */
  readonly pointer: string;
  readonly message: string;
}

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
    if (error instanceof HttpException) return new Problem(status, error.message);
    return new Problem(
      status,
      status >= 500 ? 'The sandbox failed; its log has the cause.' : (error as Error).message,
    );
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
