import { type Entry, failureIn } from './ledger.ts';

export interface Verdict {
  readonly commands: number;
  readonly lost: readonly Entry[];
  /** Replies under one message id beyond the number of times that the command was published. */
  readonly repeated: number;
  /** The commands whose replies those are, the most repeated first. */
  readonly cameAgain: readonly Entry[];
  /**
   * With final replies that contradict each other, or with a reply missing before the final one. A command that the caller
   * published again is another message under the same id: a failure that may pass does not bind it.
   */
  readonly wrong: readonly Entry[];
  /** Calls beyond one for a session. A report makes as many as it has pages. */
  readonly extraCalls: number;
  readonly calledAgain: readonly Entry[];
  /** The code of each final reply that is a failure. */
  readonly failures: readonly string[];
  /** From the sending to the final reply, the longest; not that of a command that is what the row breaks. */
  readonly largestMs: number;
  /** The one that took it, if it took longer than half a minute. */
  readonly slowest: readonly Entry[];
}

/** What nothing that a row breaks explains by itself. */
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
 * The longest time from a moment at which something worked again to the first final reply to a command that was sent
 * after it.
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

/** All of them, if there is nothing else. What expired before it was called does not bind a repeat, either. */
function withoutPassingFailures(replies: Entry['replies']): Entry['replies'] {
  const others = replies.filter((reply) => {
    const { retryable, details } = failureIn(reply) ?? {};
    return !retryable && details?.called !== false;
  });
  return others.some(({ isFinal }) => isFinal) ? others : replies;
}

/** A report that another worker reads again from its first page says when it did; the rest is the same. */
function withoutTimes(text: string): string {
  return text.replaceAll(/"read(?:At|From|To)":"[^"]*"/g, '');
}
