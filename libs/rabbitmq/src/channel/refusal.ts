/** AMQP reply codes of refusals for which the broker closes the channel. */
export const ACCESS_REFUSED = 403;
export const NOT_FOUND = 404;
export const LOCKED = 405;
export const PRECONDITION_FAILED = 406;

/** Returns the AMQP reply code of an error; `undefined` if it is not a refusal. */
export function codeOf(error: unknown): number | undefined {
  const { code } = error as { code?: unknown };
  return typeof code === 'number' ? code : undefined;
}

/**
 * Returns an error handler that returns `answer` if the broker refused with this code, and rethrows every
 * other error.
 */
export function refusedWith<T>(code: number, answer: T): (error: unknown) => T {
  return (error) => {
    if (codeOf(error) !== code) throw error;
    return answer;
  };
}
