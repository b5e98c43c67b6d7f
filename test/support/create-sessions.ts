import type { ReceivedReply } from './bus-caller.ts';
import type { ServiceUnderTest } from './service-under-test.ts';
import { until, WAIT_TIMEOUT_MS } from './until.ts';

/**
 * Publishes `session.create` for each player, under the player's id.
 *
 * @returns their final replies, in the order of the players
 */
export function createSessions(
  { caller }: ServiceUnderTest,
  userIds: readonly string[],
  timeoutMs = WAIT_TIMEOUT_MS,
): Promise<(ReceivedReply | undefined)[]> {
  const replies = userIds.map((userId) => caller.repliesTo(userId, timeoutMs));
  for (const userId of userIds)
    caller.publish('session.create', { userId }, { messageId: userId, correlationId: userId });
  const last = Promise.all(replies).then((lists) => lists.map((list) => list.at(-1)));
  // If the test has failed by then, nothing awaits this promise.
  last.catch(() => undefined);
  return last;
}

/**
 * Publishes `session.create` for each player, and resolves when all calls have reached the platform, which
 * holds them until the gate opens.
 */
export async function sessionsInFlight(service: ServiceUnderTest, userIds: readonly string[]) {
  const gate = service.hold();
  const sessions = createSessions(service, userIds);
  await until('they are in flight', () => gate.held === userIds.length);
  return { gate, sessions };
}

export function players(count: number, name = 'p'): string[] {
  return Array.from({ length: count }, (_, index) => `${name}-${index}`);
}
