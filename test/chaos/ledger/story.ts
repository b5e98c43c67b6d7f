import { type Entry, failureIn } from './ledger.ts';

/** Something that was broken, or worked again. */
export interface Happening {
  readonly atMs: number;
  readonly what: string;
}

/** How long before and after a command what happened belongs to its story. */
const AROUND_MS = 1_000;

/**
 * What happened to a command in one line, with what was broken around it.
 *
 * @param startedMs from which times are counted
 */
export function storyOf(
  { id, type, sentMs, deliveredMs, calledMs, replies }: Entry,
  startedMs: number,
  happenings: readonly Happening[],
): string {
  const own: Happening[] = [
    { atMs: sentMs, what: 'sent' },
    ...(deliveredMs === undefined ? [] : [{ atMs: deliveredMs, what: 'delivered' }]),
    ...calledMs.map((atMs) => ({ atMs, what: 'called' })),
    ...replies.map((reply) => ({
      atMs: reply.atMs,
      what: `replied ${failureIn(reply)?.code ?? reply.type} ${reply.messageId}`,
    })),
  ];
  const times = own.map(({ atMs }) => atMs);
  const [from, to] = [Math.min(...times) - AROUND_MS, Math.max(...times) + AROUND_MS];
  const at = ({ atMs, what }: Happening): string => `${what} ${((atMs - startedMs) / 1_000).toFixed(3)} s`;
  const told = [
    ...own.map((each) => ({ ...each, text: at(each) })),
    ...happenings
      .filter(({ atMs }) => atMs >= from && atMs <= to)
      .map((each) => ({ ...each, text: `[${at(each)}]` })),
  ].toSorted((one, other) => one.atMs - other.atMs);
  return `${id} (${type}): ${told.map(({ text }) => text).join(', ')}`;
}
