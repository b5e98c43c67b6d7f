/**
 * What `work` comes to, if it does so in time. A process that was held up itself looks first whether the answer has
 * come meanwhile: timers fire before what has arrived is read.
 *
 * @throws Error where it is late; `work` is left to itself, and its rejection counts as handled
 */
export function answerWithin<T>(timeoutMs: number, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = (): void => reject(new Error(`No answer within ${timeoutMs} ms`));
    const timer = setTimeout(() => setImmediate(late), timeoutMs);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
