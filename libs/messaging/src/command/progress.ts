import { type OwnHeaders, PROGRESS, SEQUENCE } from '../envelope/own-headers.ts';

/** How far a handler came: what its next run goes on from. Small, since it travels in a header. */
export type Progress = Readonly<Record<string, number | boolean>>;

/** What of a command tells how far it came. */
interface Resumable {
  /** Of the next reply. */
  readonly sequence: number;
  readonly progress: Progress | undefined;
}

/** What a postponed command carries so that its pages go on where they ended, with the same numbers. */
export function progressHeaders({ sequence, progress }: Resumable): Record<string, string | number> {
  return { [SEQUENCE]: sequence, ...(progress && { [PROGRESS]: JSON.stringify(progress) }) };
}

/**
 * Reads what `progressHeaders` wrote, or the sequence alone of a redriven command, whose replies are numbered on; anything
 * else counts as a first run.
 */
export function readProgress(headers: OwnHeaders): {
  sequence: number;
  progress?: Progress;
} {
  const sequence = headers[SEQUENCE];
  const progress = parse(headers[PROGRESS]);
  if (!Number.isSafeInteger(sequence) || Number(sequence) < 0) return { sequence: 0 };
  return { sequence: Number(sequence), ...(progress && { progress }) };
}

function parse(text: unknown): Progress | undefined {
  if (typeof text !== 'string') return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Progress) : undefined;
  } catch {
    return undefined;
  }
}
