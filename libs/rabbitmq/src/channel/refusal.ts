/** Codes of AMQP with which the broker refuses something, and closes the channel for it. */
export const ACCESS_REFUSED = 403;
export const NOT_FOUND = 404;
export const LOCKED = 405;
export const PRECONDITION_FAILED = 406;

/** The broker's code; `undefined` if the error is not a refusal. */
export function codeOf(error: unknown): number | undefined {
  const { code } = error as { code?: unknown };
  return typeof code === 'number' ? code : undefined;
}

/** A handler of errors: the answer if the broker refused something with this code; it throws every other error again. */
export function refusedWith<T>(code: number, answer: T): (error: unknown) => T {
  return (error) => {
    if (codeOf(error) !== code) throw error;
    return answer;
  };
}
