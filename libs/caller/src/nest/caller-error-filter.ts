import { type ArgumentsHost, Catch, HttpException, Logger } from '@nestjs/common';
import { BaseExceptionFilter } from '@nestjs/core';
import type { ErrorCategory } from '@poker-bridge/contracts';

import { CallerError, type CallerErrorCode } from '../caller-error.ts';

const BY_CATEGORY: Readonly<Record<ErrorCategory, number>> = {
  invalid: 400,
  expired: 504,
  misconfigured: 500,
  rejected: 422,
  unavailable: 503,
  uncertain: 502,
  internal: 500,
};
/** Codes whose status differs from that of their category. */
const BY_CODE: { readonly [C in CallerErrorCode]?: number } = {
  UNKNOWN_COMMAND: 500,
  UNSUPPORTED_VERSION: 500,
  UNKNOWN_OPERATOR: 500,
  CALLER_FORBIDDEN: 500,
  MESSAGE_TOO_LARGE: 413,
  IDEMPOTENCY_CONFLICT: 409,
  ID_IN_USE: 409,
  NICKNAME_TAKEN: 409,
  PLAYER_NOT_FOUND: 404,
  NOT_FOUND: 404,
  REPLY_QUEUE_FULL: 503,
  CALLER_CLOSED: 503,
  OUTCOME_UNKNOWN: 504,
  NO_REPLY: 504,
};

/** Returns the HTTP status for a failed call, to be sent to the client of a service. */
export function httpStatusOf({ code, category }: Pick<CallerError, 'code' | 'category'>): number {
  return BY_CODE[code] ?? BY_CATEGORY[category];
}

/**
 * Turns a `CallerError` into an HTTP response: `statusCode`, `code`, `message`, `retryable` and `violations`,
 * with a `Retry-After` header if a wait is known. A fault of the service or its configuration results in a
 * 500 without the message, which is logged.
 */
@Catch(CallerError)
export class CallerErrorFilter extends BaseExceptionFilter {
  readonly #logger = new Logger(CallerErrorFilter.name);

  override catch(error: CallerError, host: ArgumentsHost): void {
    const statusCode = httpStatusOf(error);
    const { code, retryable, violations, retryAfterMs, commandId } = error;
    if (statusCode >= 500) this.#logger.error(`${code}: ${error.message}`, { commandId });
    if (retryAfterMs !== undefined) {
      const response = host.switchToHttp().getResponse<{ header(name: string, value: string): unknown }>();
      response.header('Retry-After', String(Math.ceil(retryAfterMs / 1_000)));
    }
    const message = statusCode === 500 ? 'Internal server error' : error.message;
    // oxlint-disable-next-line promise/no-promise-in-callback, promise/valid-params -- no promise, but Nest's method
    super.catch(new HttpException({ statusCode, code, message, retryable, violations }, statusCode), host);
  }
}
