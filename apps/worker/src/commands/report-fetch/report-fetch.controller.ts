import { randomInt } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';

import { Controller, Inject } from '@nestjs/common';
import { Ctx, MessagePattern, Payload } from '@nestjs/microservices';

import { CommandError, type ReplyTo, type ReportName } from '#contracts';
import { AdHocReportFetch, RakeReportFetch } from '#contracts/validation';
import { CommandContext, type WrittenPage } from '#messaging';
import type { CollectionPage, PageRequest, PlatformClient } from '#platform';

import { type ReadPage, ReportTally } from './report-tally.ts';

const MAX_SEED = 2 ** 32;

type ReportReplies = AsyncGenerator<ReplyTo<'report.ad-hoc.fetch' | 'report.rake.fetch'> | WrittenPage>;

/** `report.ad-hoc.fetch` and `report.rake.fetch`: a report page by page, each published as it is read. */
@Controller()
export class ReportFetchController {
  constructor(@Inject('REPORTS_PER_PAGE') private readonly perPage: number) {}

  @MessagePattern('report.ad-hoc.fetch')
  adHoc(@Payload() data: AdHocReportFetch, @Ctx() command: CommandContext<PlatformClient>): ReportReplies {
    return this.#read('ad-hoc', data, command);
  }

  @MessagePattern('report.rake.fetch')
  rake(@Payload() data: RakeReportFetch, @Ctx() command: CommandContext<PlatformClient>): ReportReplies {
    return this.#read('rake', data, command);
  }

  #read(report: ReportName, data: AdHocReportFetch, command: CommandContext<PlatformClient>): ReportReplies {
    return readReport(report, data, command, this.perPage, (page) =>
      command.client.call(`report.${report}.fetch`, data, command, page),
    );
  }
}

/** Limits of prefetching, in records and in pages: about as many bytes as one page of the default size. */
const AHEAD_RECORDS = 500;
const MAX_AHEAD = 6;
/**
 * The smallest page size that a platform enforces, whatever size is requested. Only the last page may be
 * shorter.
 */
const SMALLEST_PAGE = 20;

/**
 * Reads all pages of a report, or only the page that the command names. Resumes after the pages that an
 * earlier run of the same command published. While a page is being published, the next pages are fetched: up
 * to `MAX_AHEAD` small pages, and none after a large page.
 *
 * The page count is taken from each page because a report may grow or shrink during the read. A page with
 * records is published even if it exceeds the page count, unless it repeats another page. A page without
 * records ends the report.
 *
 * @param perPage records per page, unless the command sets its own page size
 * @param fetch fetches one page; it throws a CommandError
 * @param seed seed of the hash of the record ids
 * @param nowMs clock for the arrival of answers, in epoch milliseconds
 * @throws CommandError `PLATFORM_PROTOCOL_ERROR` if the platform returns a page other than the requested one,
 *   or the report never ends
 */
export async function* readReport(
  report: ReportName,
  data: AdHocReportFetch,
  command: Pick<CommandContext, 'progress'>,
  perPage: number,
  fetch: (page: PageRequest) => Promise<CollectionPage>,
  seed = randomInt(MAX_SEED),
  nowMs: () => number = Date.now,
): ReportReplies {
  const isWhole = data.page === undefined;
  const tally = new ReportTally(command.progress, data.perPage ?? perPage, seed);
  if (tally.state.isDone) {
    yield { type: 'report.completed', data: tally.completed(report, isWhole) };
    return;
  }
  const read = async (page: number): Promise<ReadPage> => {
    const answer = await fetch({ page, perPage: tally.state.requested });
    return { ...answer, readAtMs: nowMs() };
  };
  /** Pages that are being fetched ahead of the current one. */
  const ahead: Promise<ReadPage>[] = [];
  let page = data.page ?? tally.state.pages + 1;
  let previous: ReadPage | undefined;
  for (let answer = await read(page); ; page += 1) {
    const isEnd = answer.identities.length === 0 || isRepeated(answer, page, previous);
    if (!isEnd) refuseOther(answer, page);
    tally.compare(answer);
    const isLast = isEnd || !isWhole || isLastPage(answer, page, tally.state.requested);
    if (!isLast) tally.refuseEndless();
    const most = isLast ? page : Math.min(answer.pageCount, page + aheadOf(answer));
    for (let next = page + ahead.length + 1; next <= most; next += 1) {
      const fetched = read(next);
      // A failure is reported when this page is awaited; until then it must not be an unhandled rejection.
      fetched.catch(() => undefined);
      ahead.push(fetched);
    }
    if (!isEnd) {
      yield pageOf(report, page, answer);
      await tally.add(answer);
      command.progress = { ...tally.state };
    }
    if (isLast) break;
    previous = answer;
    answer = await (ahead.shift() ?? read(page + 1));
  }
  command.progress = { ...tally.state, isDone: true };
  yield { type: 'report.completed', data: tally.completed(report, isWhole) };
}

/**
 * True if a page beyond the last one repeats the last page, by its number or by its records. Some platforms
 * do so.
 */
function isRepeated(answer: ReadPage, page: number, previous: ReadPage | undefined): boolean {
  const { pageCount, currentPage } = answer;
  if (page <= pageCount) return false;
  return (currentPage > 0 && currentPage < page) || isDeepStrictEqual(recordsOf(answer), recordsOf(previous));
}

function recordsOf(page: ReadPage | undefined) {
  return page && [page.identities, page.digests];
}

/**
 * Rejects a page other than the requested one. A page without a number is accepted if it is the first, or if
 * the report has no page count.
 *
 * @throws CommandError
 */
function refuseOther({ currentPage, pageCount }: CollectionPage, page: number): void {
  const isUnnumbered = currentPage === 0 && (page === 1 || pageCount === 0);
  if (currentPage === page || isUnnumbered) return;
  const reason = `/meta/current-page is ${currentPage}, and page ${page} was requested`;
  throw new CommandError('PLATFORM_PROTOCOL_ERROR', { details: { reason } });
}

/**
 * True for the last page. Without a page count, only a page shorter than `SMALLEST_PAGE` is certain to be the
 * last.
 */
function isLastPage({ pageCount, identities }: CollectionPage, page: number, requested: number): boolean {
  return pageCount === 0 ? identities.length < Math.min(requested, SMALLEST_PAGE) : page >= pageCount;
}

function aheadOf({ isLarge, identities }: CollectionPage): number {
  return isLarge ? 0 : Math.min(MAX_AHEAD, Math.ceil(AHEAD_RECORDS / identities.length));
}

function pageOf(
  report: ReportName,
  page: number,
  { pageCount, perPage, totalCount, readAtMs, precisions, written, faults }: ReadPage,
): WrittenPage {
  const readAt = new Date(readAtMs).toISOString();
  const data = { report, page, pageCount, perPage, totalCount, precisions, readAt, records: [] };
  return { type: 'report.page', data: { ...data, ...(faults && { faults }) }, written };
}
