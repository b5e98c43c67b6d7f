import type { AdHocReportFetch, ReportName, ReportRecord, Reply } from '#contracts';
import type { CollectionPage, PageRequest } from '#platform';

import type { ReportSettings } from './report-settings.ts';

/**
 * Reads a report page after page: every page of it, or the one that the command names.
 *
 * The number of pages is taken from each page anew, since the report may grow or shrink meanwhile. A page without
 * records ends it: some platforms answer so beyond the last, whatever their count says.
 *
 * @param fetch one page; it fails with a CommandError
 */
export async function* readReport(
  report: ReportName,
  command: AdHocReportFetch,
  settings: ReportSettings,
  fetch: (page: PageRequest) => Promise<CollectionPage>,
): AsyncGenerator<Reply> {
  const perPage = command.perPage ?? settings.perPage;
  let pages = 0;
  let records = 0;
  let firstTotal: number | undefined;
  let totalCount = 0;
  let changedWhileReading = false;
  let pageCount: number;
  let page = command.page ?? 1;
  do {
    const answer = await fetch({ page, perPage });
    ({ pageCount, totalCount } = answer);
    firstTotal ??= totalCount;
    changedWhileReading ||= totalCount !== firstTotal;
    if (answer.records.length === 0) break;
    yield { type: 'report.page', data: pageOf(report, page, answer, settings.precisions) };
    pages += 1;
    records += answer.records.length;
    page += 1;
  } while (command.page === undefined && page <= pageCount);
  yield { type: 'report.completed', data: { report, pages, records, totalCount, changedWhileReading } };
}

function pageOf(
  report: ReportName,
  page: number,
  answer: CollectionPage,
  precisions: ReportSettings['precisions'],
) {
  const { pageCount, perPage, totalCount, records } = answer;
  return {
    report,
    page,
    pageCount,
    perPage,
    totalCount,
    precisions: precisionsOf(records, precisions),
    records,
  };
}

function precisionsOf(
  records: readonly ReportRecord[],
  precisions: ReportSettings['precisions'],
): Record<string, number | null> {
  const currencies = new Set(
    records.map(({ currency }) => currency).filter((currency) => typeof currency === 'string'),
  );
  return Object.fromEntries([...currencies].map((currency) => [currency, precisions.get(currency) ?? null]));
}
