import { CommandError, type ReportName, validateCommand } from '#contracts';

import { usageError } from '../exit.ts';
import { readValue } from '../input/read-value.ts';
import { endOf, type Period } from './period.ts';
import { isTimeZone } from './period-end.ts';
import type { ReportOptions } from './report-options.ts';

/** The data of the command that the options ask for. @throws ExitError if it would not be valid, or a file cannot be read */
export async function reportDataOf(
  name: ReportName,
  options: ReportOptions,
): Promise<Period & Readonly<Record<string, unknown>>> {
  const { currency, timeZone, sort, perPage } = options;
  if (timeZone !== undefined && !isTimeZone(timeZone)) {
    throw usageError('--time-zone is a name such as Europe/Berlin, or an offset such as +03:00');
  }
  const period = periodOf(options);
  const userId = options.userId === undefined ? undefined : await readValue(options.userId);
  const given = Object.entries({ userId, currency, timeZone, sort, perPage });
  const data = { ...period, ...Object.fromEntries(given.filter(([, value]) => value !== undefined)) };
  try {
    validateCommand(`report.${name}.fetch`, data);
    return data;
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    const faults = error.violations?.map(({ pointer, message }) => `${pointer.slice(1)} ${message}`);
    throw usageError((faults ?? [error.message]).join('; '));
  }
}

function periodOf({ month, day, from, to }: ReportOptions): Period {
  const isOpen = from !== undefined && to !== undefined;
  const ways = [month, day, from ?? to].filter((way) => way !== undefined);
  if (ways.length !== 1 || (!month && !day && !isOpen)) {
    throw usageError('say either --month, or --day, or --from and --to');
  }
  return month ?? day ?? { dateFrom: endOf(from ?? ''), dateTo: endOf(to ?? '') };
}
