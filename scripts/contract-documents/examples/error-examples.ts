import { ERROR_CODES, type ErrorBody, type ErrorCode } from '#contracts';

import { ERROR_OCCASIONS } from './error-occasions.ts';
import { type Example, EXAMPLE_ID, EXAMPLE_MOMENT } from './example.ts';
import { replyHeaders } from './message-examples.ts';

/** An error body for each code, with what a worker knows when it answers with it. */
export const ERROR_EXAMPLES: readonly Example<ErrorBody>[] = (Object.keys(ERROR_CODES) as ErrorCode[]).map(
  (code) => {
    const { type = 'session.create', attempts = 0, ...facts } = ERROR_OCCASIONS[code];
    const { category, retryable, message } = ERROR_CODES[code];
    return {
      name: code,
      summary: message,
      headers: replyHeaders(type, 0, true),
      payload: {
        code,
        category,
        retryable,
        message,
        ...facts,
        attempts,
        command: { id: EXAMPLE_ID, type },
        occurredAt: EXAMPLE_MOMENT,
      },
    };
  },
);
