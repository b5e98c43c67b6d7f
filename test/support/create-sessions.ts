import type { ReceivedReply } from './bus-caller.ts';
import type { ServiceUnderTest } from './service-under-test.ts';

/**
 * Publishes `session.create` for each player, under the player's id.
 *
 * @returns their final replies, in the order of the players
 */
export async function createSessions(
  { caller }: ServiceUnderTest,
  userIds: readonly string[],
  timeoutMs = 20_000,
): Promise<(ReceivedReply | undefined)[]> {
  const replies = userIds.map((userId) => caller.repliesTo(userId, timeoutMs));
  for (const userId of userIds) {
    caller.publish('session.create', { userId }, { messageId: userId, correlationId: userId });
  }
  return (await Promise.all(replies)).map((list) => list.at(-1));
}

/** The ids of as many players. */
export function players(count: number, name = 'p'): string[] {
  return Array.from({ length: count }, (_, index) => `${name}-${index}`);
}
