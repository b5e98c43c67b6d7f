import type { AdHocReportFetch, Reply, ReportName, ReportPage, ReportRecord } from '#contracts';
import type { CommandContext } from '#messaging';
import type { CollectionPage, PageRequest } from '#platform';

import type { ReportSettings } from './report-settings.ts';

/** What `report.completed` says, and what is carried over if the report is postponed. */
interface Tally {
  pages: number;
  records: number;
  /** Of the first page that was read. */
  firstTotal: number;
  changedWhileReading: boolean;
}

/**
 * Reads a report page by page, every page of it or the one that the command names, and continues after the pages that an
 * earlier run of the same command published.
 *
 * The number of pages is read from each page, since a report may grow or shrink meanwhile. A page without records ends
 * it, whatever the platform counts, and so does the last page if one beyond it was requested.
 *
 * @param fetch fetches one page; it throws a CommandError
 */
export async function* readReport(
  report: ReportName,
  data: AdHocReportFetch,
  command: Pick<CommandContext, 'progress'>,
  settings: ReportSettings,
  fetch: (page: PageRequest) => Promise<CollectionPage>,
): AsyncGenerator<Reply> {
  const perPage = data.perPage ?? settings.perPage;
  let tally = tallyOf(command.progress);
  for (;;) {
    const page = data.page ?? (tally?.pages ?? 0) + 1;
    const answer = await fetch({ page, perPage });
    const { totalCount, pageCount, records } = answer;
    tally ??= { pages: 0, records: 0, firstTotal: totalCount, changedWhileReading: false };
    tally.changedWhileReading ||= totalCount !== tally.firstTotal;
    // Some platforms answer a request for a page beyond the last with the last one.
    const isRepeat = page > pageCount && answer.currentPage < page;
    const isBeyond = records.length === 0 || isRepeat;
    if (!isBeyond) {
      yield { type: 'report.page', data: pageOf(report, page, answer, settings) };
      tally.pages += 1;
      tally.records += records.length;
      command.progress = { ...tally };
    }
    if (isBeyond || data.page !== undefined || page >= pageCount) {
      const { pages, changedWhileReading } = tally;
      const completed = { report, pages, records: tally.records, totalCount, changedWhileReading };
      yield { type: 'report.completed', data: completed };
      return;
    }
  }
}

/** The tally of an earlier run; a header that anyone else wrote is ignored. */
function tallyOf(progress: CommandContext['progress']): Tally | undefined {
  const { pages, records, firstTotal, changedWhileReading } = progress ?? {};
  const isTally = [pages, records, firstTotal].every(
    (number) => Number.isSafeInteger(number) && Number(number) >= 0,
  );
  if (!isTally) return undefined;
  return {
    pages: Number(pages),
    records: Number(records),
    firstTotal: Number(firstTotal),
    changedWhileReading: changedWhileReading === true,
  };
}

function pageOf(
  report: ReportName,
  page: number,
  answer: CollectionPage,
  settings: ReportSettings,
): ReportPage {
  const { pageCount, perPage, totalCount, records, faults } = answer;
  return {
    report,
    page,
    pageCount,
    perPage,
    totalCount,
    precisions: precisionsOf(records, settings),
    records,
    ...(faults && { faults }),
  };
}

function precisionsOf(
  records: readonly ReportRecord[],
  { precisions }: ReportSettings,
): Record<string, number | null> {
  const currencies = new Set(
    records.map(({ currency }) => currency).filter((currency) => typeof currency === 'string'),
  );
  return Object.fromEntries([...currencies].map((currency) => [currency, precisions.get(currency) ?? null]));
}
