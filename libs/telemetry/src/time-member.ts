// With the other parts of the line of an answered command, it saves 8 µs (docs/decisions/0008); pino's own time would do.

let secondMs = 0;
let second = ',"time":"1970-01-01T00:00:00.';

/** The time as a member of a line: `,"time":"2026-03-01T12:00:00.123Z"`. Lines of the same second share its text. */
export function timeMember(): string {
  const nowMs = Date.now();
  let milliseconds = nowMs - secondMs;
  if (milliseconds < 0 || milliseconds > 999) {
    secondMs = Math.floor(nowMs / 1000) * 1000;
    second = `,"time":"${new Date(nowMs).toISOString().slice(0, -'000Z'.length)}`;
    milliseconds = nowMs - secondMs;
  }
  if (milliseconds > 99) return `${second}${milliseconds}Z"`;
  return milliseconds > 9 ? `${second}0${milliseconds}Z"` : `${second}00${milliseconds}Z"`;
}
