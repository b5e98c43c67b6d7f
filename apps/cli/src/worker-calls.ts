import { randomUUID } from 'node:crypto';

import type { CommandData, CommandError } from '#contracts';
import {
  type Operation,
  OPERATIONS,
  type OperatorCredentials,
  PlatformClient,
  type PlatformLimits,
  type PlatformTransport,
} from '#platform';
import { Deadline } from '#resilience';

const DEADLINE_MS = 10_000;
const ONE_CALL: PlatformLimits = {
  attemptTimeoutMs: DEADLINE_MS,
  maxAttempts: 1,
  // Each operation may use only connections that the others leave free.
  connections: 4 * OPERATIONS.length,
  queue: OPERATIONS.length,
  circuit: { failureRate: 100, minimumCalls: 1_000, windowMs: DEADLINE_MS, openMs: DEADLINE_MS },
};
const FIRST_RECORD = { page: 1, perPage: 1 };

export type CallResult = CommandError | 'success';

/** Calls the platform once, with the code of a worker. */
export async function callAsWorker<O extends Operation>(
  operation: O,
  data: CommandData[O],
  credentials: OperatorCredentials,
  transport: PlatformTransport,
): Promise<CallResult> {
  const client = new PlatformClient(credentials, { limits: ONE_CALL, transport });
  const deadline = new Deadline(Date.now() + DEADLINE_MS);
  const context = { caller: 'anonymous', id: randomUUID(), deadline, attempts: 0 };
  try {
    await client.call(operation, data, context, FIRST_RECORD);
    return 'success';
  } catch (error) {
    return error as CommandError;
  } finally {
    await client.close();
  }
}

/** True if the platform rejects the signature, or answers only that the request is bad. */
export function isSignatureRefused(answer: CallResult): boolean {
  return (
    answer !== 'success' && (answer.code === 'SIGNATURE_REJECTED' || answer.details?.['hint'] === 'signature')
  );
}

/** Rejections of a request's data, which follow an accepted signature. */
const REFUSALS_OF_DATA =
  /^(AUTH_TYPE_INVALID|CURRENCY_\w+|NICKNAME_\w+|PLAYER_NOT_FOUND|INCORRECT_DATA|PLATFORM_PROTOCOL_ERROR)$/;

/** True if the platform accepted the request: it succeeded, or was rejected only for its made-up player. */
export function isTaken(answer: CallResult): boolean {
  if (answer === 'success') return true;
  const isAtId = answer.violations?.some(({ pointer }) => pointer === '/session/id') ?? false;
  return REFUSALS_OF_DATA.test(answer.code) && !isAtId;
}

/** True if the platform rejected data for a reason without a code of its own, such as a session id. */
export function isVague(answer: CallResult): boolean {
  return answer !== 'success' && answer.code === 'INCORRECT_DATA';
}

/** Describes a result for people: `FORBIDDEN (403)`. */
export function describeAnswer(answer: CallResult): string {
  if (answer === 'success') return answer;
  return answer.platform ? `${answer.code} (${answer.platform.status})` : answer.code;
}
