import { isSound, type RowResult } from '../play-row.ts';

/** The figures of a row in one line. */
export function resultLine(result: RowResult): string {
  const { commands, crashes, lost, wrong, repeated, extraCalls, failed, stuck } = result;
  return (
    `${isSound(result) ? 'nothing lost' : 'NOT SOUND'}: ${commands} commands, ${crashes} crashes, ${lost} lost, ` +
    `${wrong} wrong, ${repeated} repeats, ${extraCalls} calls again, ${failed} failed${codesOf(result)}, ${stuck} stuck; ` +
    `back after ${seconds(result.recoveryMs)}, longest ${seconds(result.largestMs)}; took ${seconds(result.elapsedMs)}`
  );
}

function codesOf({ failures }: RowResult): string {
  const codes = Object.entries(failures).map(([code, count]) => `${code} ${count}`);
  return codes.length === 0 ? '' : ` (${codes.join(', ')})`;
}

export function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
