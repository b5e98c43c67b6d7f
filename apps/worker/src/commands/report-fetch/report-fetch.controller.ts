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

/** Records in the pages that are fetched ahead, and the most of these pages: as many bytes as one page of the default size. */
const AHEAD_RECORDS = 500;
const MAX_AHEAD = 6;
/** Platforms give at least so many records a page, whatever is requested, unless it is the last one. */
const SMALLEST_PAGE = 20;

/**
 * Reads a report page by page, every page of it or the one that the command names, and continues after the pages that an
 * earlier run of the same command published. While a page is published, the next ones are fetched: small ones up to
 * `MAX_AHEAD`, and none after a large one.
 *
 * The number of pages is read from each page, since a report may grow or shrink meanwhile. A page with records is published
 * whatever the platform counts, unless it repeats one; a page without records ends the report.
 *
 * @param perPage records a page, unless the command says otherwise
 * @param fetch fetches one page; it throws a CommandError
 * @param seed for the hash of the records' ids
 * @param nowMs when an answer arrived, epoch milliseconds
 * @throws CommandError `PLATFORM_PROTOCOL_ERROR` if the platform answers another page, or has no last one
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
  /** The pages after the present one. */
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
      // It fails once it is its turn, if it comes to that.
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

/** True if a page beyond the last repeats the last one, with its number or as a copy of it, as some platforms do. */
function isRepeated(answer: ReadPage, page: number, previous: ReadPage | undefined): boolean {
  const { pageCount, currentPage } = answer;
  if (page <= pageCount) return false;
  return (currentPage > 0 && currentPage < page) || isDeepStrictEqual(recordsOf(answer), recordsOf(previous));
}

function recordsOf(page: ReadPage | undefined) {
  return page && [page.identities, page.digests];
}

/** A page that is not numbered may be the first one, or one of a report whose pages are not counted. @throws CommandError */
function refuseOther({ currentPage, pageCount }: CollectionPage, page: number): void {
  const isUnnumbered = currentPage === 0 && (page === 1 || pageCount === 0);
  if (currentPage === page || isUnnumbered) return;
  const reason = `/meta/current-page is ${currentPage}, and page ${page} was requested`;
  throw new CommandError('PLATFORM_PROTOCOL_ERROR', { details: { reason } });
}

/** If pages are not counted, only a page that is shorter than any cap is known to be the last one. */
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
