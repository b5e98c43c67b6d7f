import { isDeepStrictEqual } from 'node:util';

import type { Call } from './call.ts';
import { CallerError } from './caller-error.ts';
import type { PreparedCommand } from './command.ts';
import { abortable } from './replies.ts';

const MAX_CALLS = 10_000;

interface InFlightCall {
  readonly command: PreparedCommand;
  readonly call: Call;
  readonly result: Promise<unknown>;
}

/**
 * The calls in flight, by command id. Calls of the same command with the same id share one request and its
 * result.
 */
export class InFlightCalls {
  readonly #byId = new Map<string, InFlightCall>();
  #count = 0;

  /**
   * Returns the result of the call in flight with this id, or of `send` if there is none. Each call keeps its
   * own deadline, signal and retry rules: if the sending call gives up, another call sends the command.
   *
   * @throws CallerError `IDEMPOTENCY_CONFLICT` if the id belongs to another command, `ID_IN_USE` if it
   *   belongs to another operator, `TOO_MANY_CALLS`; the reason of the call's signal; the errors of `send`
   */
  async join<T>(command: PreparedCommand, call: Call, send: () => Promise<T>) {
    if (this.#count >= MAX_CALLS) throw CallerError.of('TOO_MANY_CALLS', command.id);
    this.#count += 1;
    try {
      for (;;) {
        const other = this.#byId.get(command.id);
        if (!other) return await this.#send(command, call, send);
        assertSame(other.command, command);
        call.follow(other.call);
        try {
          return (await abortable(other.result, call.signal)) as T;
        } catch (error) {
          call.signal.throwIfAborted();
          if (!isOfOneCall(error, other)) await call.pauseAfter(error);
        }
      }
    } finally {
      this.#count -= 1;
    }
  }

  async #send<T>(command: PreparedCommand, call: Call, send: () => Promise<T>): Promise<T> {
    const result = send();
    this.#byId.set(command.id, { command, call, result });
    try {
      return await result;
    } finally {
      this.#byId.delete(command.id);
    }
  }
}

/**
 * Compares operator, type and data, like the worker.
 *
 * @throws CallerError `IDEMPOTENCY_CONFLICT`, `ID_IN_USE`
 */
function assertSame(one: PreparedCommand, other: PreparedCommand): void {
  if (one.properties.headers.operator !== other.properties.headers.operator)
    throw CallerError.of('ID_IN_USE', other.id);
  const isSame = one.routingKey === other.routingKey && isDeepStrictEqual(dataOf(one), dataOf(other));
  if (!isSame) throw CallerError.of('IDEMPOTENCY_CONFLICT', other.id);
}

function dataOf({ body }: PreparedCommand): unknown {
  return JSON.parse(body);
}

/**
 * True if a call failed by its own signal or deadline, so that the failure says nothing about other calls.
 */
function isOfOneCall(error: unknown, { call }: InFlightCall): boolean {
  if (error === call.signal.reason) return true;
  const { code, details } = error as Partial<CallerError>;
  return code === 'COMMAND_EXPIRED' && details?.['called'] === false;
}
