import { isFinalReplyType, type Reply } from '#contracts';

/**
 * A reply as it was stored; `undefined` if it cannot be one. Its members are not looked at: a worker of another version
 * may have stored more or fewer of them, and a reply that is taken for none has the command done a second time.
 */
export function parseReply(text: string | null): Reply | undefined {
  try {
    const { type, data } = JSON.parse(text ?? '') as { type?: unknown; data?: unknown };
    return isFinalReplyType(type) && typeof data === 'object' && data !== null
      ? ({ type, data } as Reply)
      : undefined;
  } catch {
    return undefined;
  }
}
