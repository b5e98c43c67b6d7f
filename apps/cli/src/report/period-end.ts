const OFFSET = /^[+-]\d{2}:?\d{2}$/;
/** The platform aggregates its figures every ten minutes. Source: interface document, endpoint 3. */
const AGGREGATION_MS = 10 * 60_000;

/** Whether a text is an offset, or a time zone that is known here. */
export function isTimeZone(text: string): boolean {
  if (OFFSET.test(text)) return true;
  try {
    new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions();
    return true;
  } catch {
    return false;
  }
}

/**
 * When the figures up to the end of a period are complete; undefined if they are by now.
 *
 * @param dateTo `YYYY-MM-DD HH:MM:SS`
 * @param timeZone whose hours are meant; default UTC
 */
export function completeAtMs(
  dateTo: string,
  timeZone: string | undefined,
  nowMs: number,
): number | undefined {
  const completeMs = momentOf(dateTo, timeZone ?? '+00:00') + AGGREGATION_MS;
  return completeMs > nowMs ? completeMs : undefined;
}

function momentOf(date: string, timeZone: string): number {
  const asUtcMs = Date.parse(`${date.replace(' ', 'T')}Z`);
  return asUtcMs - offsetMs(timeZone, asUtcMs);
}

/** How far the clocks of a zone are ahead of UTC at some moment; in the hour of a change it may be that of the hour before. */
function offsetMs(timeZone: string, atMs: number): number {
  if (OFFSET.test(timeZone)) {
    const [hours, minutes] = [timeZone.slice(1, 3), timeZone.slice(-2)].map(Number) as [number, number];
    return (timeZone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000;
  }
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  const local = Date.parse(`${format.format(atMs).replace(' ', 'T')}Z`);
  return local - Math.floor(atMs / 1_000) * 1_000;
}
