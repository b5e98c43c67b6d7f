import { type LogLine, written } from './log-line.ts';

/** Outcomes that a broker which was away explains. */
const LATE = new Set(['COMMAND_EXPIRED', 'OUTCOME_UNKNOWN']);

/**
 * Says first what a reader of the lines looks for: how the command ended, and because of what.
 *
 * @param about the lines of the command, the player or the stretch of time, in order of time
 * @param around these, and what circuits and the broker did meanwhile, in order of time
 */
export function describeCause(about: readonly LogLine[], around: readonly LogLine[]): string {
  const outcomes = about.filter(({ members }) => members['outcome'] !== undefined);
  const failures = outcomes.filter(({ members }) => members['outcome'] !== 'success');
  const [first] = failures;
  if (!first) {
    if (outcomes.length > 0) return `All ${outcomes.length} succeeded.\n`;
    return 'No outcome is logged: the command is in flight, waits in its queue, or its worker died.\n';
  }
  const { type, id, operator, time, outcome } = first.members;
  const count = outcomes.length > 1 ? `${failures.length} of ${outcomes.length} failed. The first: ` : '';
  const what = `${written(type)} ${written(id)} of ${written(operator)} failed at ${written(time)} with ${written(outcome)}`;
  const reasons = [ownReason(first), reasonAround(first, around)].filter((reason) => reason !== undefined);
  return `${count}${what}${reasons.map((reason) => `\n  ${reason}`).join('')}\n`;
}

function ownReason({ members }: LogLine): string | undefined {
  const { status, reason, pointers } = members;
  const parts = [
    status === undefined ? undefined : `the platform answered ${written(status)}`,
    reason === undefined ? undefined : written(reason),
    Array.isArray(pointers) ? `at ${pointers.map(written).join(' ')}` : undefined,
  ].filter((part) => part !== undefined);
  return parts.length > 0 ? parts.join(', ') : undefined;
}

/** The last change before the failure that explains it: of the command's own circuit, or of the broker. */
function reasonAround({ members, timeMs }: LogLine, around: readonly LogLine[]): string | undefined {
  const before = around.filter((line) => line.timeMs <= timeMs);
  if (members['outcome'] === 'CIRCUIT_OPEN') {
    const opened = before.findLast(
      (line) => line.members['state'] === 'open' && line.members['operator'] === members['operator'],
    );
    if (!opened) return 'the circuit opened before this log begins';
    const { time, operation, cause } = opened.members;
    const why = cause === undefined ? '' : `: ${written(cause)}`;
    return `the circuit of ${written(operation)} opened at ${written(time)}${why}`;
  }
  if (!LATE.has(String(members['outcome']))) return undefined;
  const away = before.findLast((line) => line.members['msg'] === 'the broker is not available');
  return (
    away &&
    `the broker was not available at ${written(away.members['time'])}: ${written(away.members['reason'])}`
  );
}
