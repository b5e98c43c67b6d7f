import type { ReportName } from '#contracts';

import { usageError } from '../exit.ts';
import { commandFaults } from '../input/command-faults.ts';
import { readValue } from '../input/read-source.ts';
import { dayOf, endOf, isTimeZone, monthOf, type Period } from './period.ts';

/** The options of `report ad-hoc` and `report rake`. */
export interface ReportOptions {
  readonly from?: string;
  readonly to?: string;
  readonly month?: string;
  readonly day?: string;
  readonly out: string;
  readonly format?: string;
  readonly force?: true;
  readonly resume?: true;
  /** Or `@` and the path of a file that holds it. */
  readonly userId?: string;
  readonly currency?: string;
  readonly timeZone?: string;
  readonly convertToPreferredCurrency?: string;
  readonly sort?: string;
  readonly perPage?: number;
  readonly operator?: string;
  readonly deadlineMs?: number;
  /** Decimals of currencies that the worker does not know. */
  readonly decimals?: ReadonlyMap<string, number>;
  /** A file of an earlier run. */
  readonly compare?: string;
  readonly json?: true;
}

/** The data of the command that the options ask for. @throws ExitError if it would not be valid, or a file cannot be read */
export async function reportDataOf(
  name: ReportName,
  options: ReportOptions,
): Promise<Period & Readonly<Record<string, unknown>>> {
  const { currency, timeZone, convertToPreferredCurrency, sort, perPage } = options;
  if (timeZone !== undefined && !isTimeZone(timeZone)) {
    throw usageError('--time-zone is a name such as Europe/Berlin, or an offset such as +03:00');
  }
  const period = periodOf(options);
  const userId = options.userId === undefined ? undefined : await readValue(options.userId);
  const given = Object.entries({ userId, currency, timeZone, convertToPreferredCurrency, sort, perPage });
  const data = { ...period, ...Object.fromEntries(given.filter(([, value]) => value !== undefined)) };
  const faults = commandFaults(`report.${name}.fetch`, data);
  if (faults.length > 0) throw usageError(faults.map((fault) => fault.replace(/^\//, '')).join('; '));
  return data;
}

function periodOf({ month, day, from, to, timeZone = 'UTC' }: ReportOptions): Period {
  const isOpen = from !== undefined && to !== undefined;
  const ways = [month, day, from ?? to].filter((way) => way !== undefined);
  if (ways.length !== 1 || (month === undefined && day === undefined && !isOpen)) {
    throw usageError('say either --month, or --day, or --from and --to');
  }
  if (from !== undefined && to !== undefined) return { dateFrom: endOf(from), dateTo: endOf(to) };
  const nowMs = Date.now();
  const period = month === undefined ? dayOf(day ?? '', nowMs, timeZone) : monthOf(month, nowMs, timeZone);
  if (period) return period;
  throw usageError(
    month === undefined
      ? '--day must be a day, such as 2026-10-05, or yesterday'
      : '--month must be a month, such as 2026-10, or last',
  );
}
