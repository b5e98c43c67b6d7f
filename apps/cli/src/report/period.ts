/** The ends of a report, `YYYY-MM-DD HH:MM:SS`, as the platform wants them. */
export interface Period {
  readonly dateFrom: string;
  readonly dateTo: string;
}

const MONTH = /^(\d{4})-(0[1-9]|1[0-2])$/;
const DAY_MS = 24 * 60 * 60 * 1000;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** A month from its first midnight to that of the next one; undefined if the text is not `YYYY-MM`. */
export function monthOf(text: string): Period | undefined {
  const [, year = '', month = ''] = MONTH.exec(text) ?? [];
  if (year === '') return undefined;
  const next =
    month === '12'
      ? `${String(Number(year) + 1).padStart(4, '0')}-01`
      : `${year}-${String(Number(month) + 1).padStart(2, '0')}`;
  return { dateFrom: `${text}-01 00:00:00`, dateTo: `${next}-01 00:00:00` };
}

/** A day from its midnight to the next one; undefined if the text is not `YYYY-MM-DD`. */
export function dayOf(text: string): Period | undefined {
  const startMs = DAY.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  // February has no 30th, whatever the parser makes of it.
  if (Number.isNaN(startMs) || new Date(startMs).toISOString().slice(0, 10) !== text) return undefined;
  const next = new Date(startMs + DAY_MS).toISOString().slice(0, 10);
  return { dateFrom: `${text} 00:00:00`, dateTo: `${next} 00:00:00` };
}

/** An end as it is given: a day is its midnight, and a `T` may stand for the blank. */
export function endOf(text: string): string {
  return DAY.test(text) ? `${text} 00:00:00` : text.replace(/^(\d{4}-\d{2}-\d{2})T/, '$1 ');
}
