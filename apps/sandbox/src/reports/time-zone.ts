const OFFSET = /^([+-])(\d\d):?(\d\d)$/;

/**
 * The UTC moment of a wall-clock time in a zone.
 * @param wallMs the wall-clock time as if it were UTC, in milliseconds since 1970
 * @param timeZone a zone's name or an offset such as `+03:00`
 * @returns undefined if the zone does not exist
 */
export function toUtc(wallMs: number, timeZone: string): number | undefined {
  const [, sign, hours, minutes] = OFFSET.exec(timeZone) ?? [];
  if (sign !== undefined) {
    const offsetMinutes = Number(hours) * 60 + Number(minutes);
    if (offsetMinutes > 14 * 60 || Number(minutes) > 59) return undefined;
    return wallMs - (sign === '+' ? 1 : -1) * offsetMinutes * 60_000;
  }
  const format = zoneFormat(timeZone);
  if (!format) return undefined;
  // the offset at the guess, applied twice, since the guess may be on the other side of a time change
  const guess = wallMs - offsetMs(format, wallMs);
  return wallMs - offsetMs(format, guess);
}

function zoneFormat(timeZone: string): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
  } catch {
    return undefined;
  }
}

function offsetMs(format: Intl.DateTimeFormat, utcMs: number): number {
  const name = format.formatToParts(utcMs).find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const [, sign, hours, minutes = 0, seconds = 0] = /GMT([+-])(\d\d):(\d\d)(?::(\d\d))?/.exec(name) ?? [];
  if (sign === undefined) return 0;
  return (sign === '+' ? 1 : -1) * ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000;
}
