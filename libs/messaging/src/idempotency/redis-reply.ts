import type { Reply, ReplyType } from '#contracts';

/** The replies that end a command whose identity is remembered. */
const TYPES: ReadonlySet<unknown> = new Set<ReplyType>(['session.created', 'game.opened', 'command.failed']);

/** A reply as it was stored; `undefined` where it cannot be one. */
export function parseReply(text: string | null): Reply | undefined {
  try {
    const { type, data } = JSON.parse(text ?? '') as { type?: unknown; data?: unknown };
    return TYPES.has(type) && typeof data === 'object' && data !== null
      ? ({ type, data } as Reply)
      : undefined;
  } catch {
    return undefined;
  }
}
