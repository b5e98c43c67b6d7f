import { type Entry, failureIn } from './ledger.ts';

export interface Verdict {
  readonly commands: number;
  readonly lost: readonly Entry[];
  /** Replies under one message id beyond the number of times that the command was published. */
  readonly repeated: number;
  /** The commands with repeated replies, the most repeated first. */
  readonly cameAgain: readonly Entry[];
  /**
   * Commands with contradictory final replies, or with a missing reply before the final one. If the caller
   * published a command again, a temporary failure in its first reply does not contradict a later outcome.
   */
  readonly wrong: readonly Entry[];
  /** Calls beyond the first for a session. A report makes one call per page. */
  readonly extraCalls: number;
  readonly calledAgain: readonly Entry[];
  /** The code of each final reply that is a failure. */
  readonly failures: readonly string[];
  /** The longest time from sending to the final reply, except of a command that is the fault of the row. */
  readonly largestMs: number;
  /** The slowest command, if it took more than 30 s. */
  readonly slowest: readonly Entry[];
}

/** Commands slower than this are listed, because no fault of a row explains the delay. */
const SLOW_MS = 30_000;

export function verdictOf(entries: readonly Entry[]): Verdict {
  const calledAgain = entries.filter(
    ({ calledMs, type, isDisturbance }) => calledMs.length > 1 && type === 'session.create' && !isDisturbance,
  );
  const disturbed = entries.filter(({ isDisturbance }) => !isDisturbance);
  const largestMs = Math.max(0, ...disturbed.map(latencyOf));
  return {
    commands: entries.length,
    lost: entries.filter(({ replies }) => replies.every(({ isFinal }) => !isFinal)),
    repeated: entries.reduce((sum, entry) => sum + repeatsOf(entry), 0),
    cameAgain: entries
      .filter((entry) => repeatsOf(entry) > 0)
      .toSorted((one, other) => repeatsOf(other) - repeatsOf(one)),
    wrong: entries.filter(isWrong),
    extraCalls: calledAgain.reduce((sum, { calledMs }) => sum + calledMs.length - 1, 0),
    calledAgain,
    failures: entries.flatMap(({ replies }) => {
      const final = finalOf(replies);
      return (final && failureIn(final)?.code) ?? [];
    }),
    largestMs,
    slowest:
      largestMs > SLOW_MS ? disturbed.filter((entry) => latencyOf(entry) === largestMs).slice(0, 1) : [],
  };
}

/**
 * Returns the longest time from the end of a fault to the first final reply to a command that was sent after
 * that fault.
 */
export function recoveryMs(entries: readonly Entry[], momentsMs: readonly number[]): number {
  const times = momentsMs.map((momentMs) => {
    const answers = entries
      .filter(({ sentMs }) => sentMs >= momentMs)
      .flatMap(({ replies }) => finalOf(replies)?.atMs ?? []);
    return answers.length === 0 ? 0 : Math.min(...answers) - momentMs;
  });
  return Math.max(0, ...times);
}

function repeatsOf({ replies, publishes }: Entry): number {
  const byId = Map.groupBy(replies, ({ messageId }) => messageId).values();
  return byId.reduce((sum, same) => sum + Math.max(0, same.length - publishes), 0);
}

function latencyOf({ sentMs, replies }: Entry): number {
  const final = finalOf(replies);
  return final === undefined ? 0 : final.atMs - sentMs;
}

function finalOf(replies: Entry['replies']): Entry['replies'][number] | undefined {
  return replies.find(({ isFinal }) => isFinal);
}

function distinct(replies: Entry['replies']): Map<string, string> {
  return new Map(replies.map(({ messageId, text }) => [messageId, withoutTimes(text)]));
}

function isWrong(entry: Entry): boolean {
  const replies = entry.publishes > 1 ? withoutPassingFailures(entry.replies) : entry.replies;
  const texts = distinct(replies);
  if (replies.some(({ messageId, text }) => texts.get(messageId) !== withoutTimes(text))) return true;
  const finals = new Set(replies.filter(({ isFinal }) => isFinal).map(({ messageId }) => messageId));
  const final = finalOf(replies);
  if (final === undefined) return false;
  const last = Number(/:(\d+)$/.exec(final.messageId)?.[1] ?? 0);
  return finals.size > 1 || texts.size !== last + 1;
}

/**
 * Returns the replies with lasting outcomes, or all replies if there are none. COMMAND_EXPIRED is not a
 * lasting outcome.
 */
function withoutPassingFailures(replies: Entry['replies']): Entry['replies'] {
  const others = replies.filter((reply) => {
    const { retryable, details } = failureIn(reply) ?? {};
    return !retryable && details?.called !== false;
  });
  return others.some(({ isFinal }) => isFinal) ? others : replies;
}

/**
 * Removes times: another worker may read a report again from its first page, or refuse a command again, with
 * another random pause.
 */
function withoutTimes(text: string): string {
  return text.replaceAll(/"(?:read(?:At|From|To)|occurredAt)":"[^"]*"|"retryAfterMs":\d+/g, '');
}
