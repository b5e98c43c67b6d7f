import { randomInt } from 'node:crypto';

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

/**
 * Reads a report page by page, every page of it or the one that the command names, and continues after the pages that an
 * earlier run of the same command published. While a page is published, the next one is fetched unless the page is large, and
 * no further one.
 *
 * The number of pages is read from each page, since a report may grow or shrink meanwhile. A page without records ends
 * it, whatever the platform counts, and so does the last page if one beyond it was requested.
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
  let page = data.page ?? tally.state.pages + 1;
  for (let answer = await read(page); ; page += 1) {
    const isBeyond = isBeyondLast(answer, page);
    if (!isBeyond && answer.currentPage !== page) {
      const reason = `/meta/current-page is ${answer.currentPage}, and page ${page} was requested`;
      throw new CommandError('PLATFORM_PROTOCOL_ERROR', { details: { reason } });
    }
    tally.compare(answer);
    const isLast = isBeyond || !isWhole || page >= answer.pageCount;
    if (!isLast) tally.refuseEndless();
    const next = isLast || answer.isLarge ? undefined : read(page + 1);
    // It fails once it is its turn, if it comes to that.
    next?.catch(() => undefined);
    if (!isBeyond) {
      yield pageOf(report, page, answer);
      await tally.add(answer);
      command.progress = { ...tally.state };
    }
    if (isLast) break;
    answer = await (next ?? read(page + 1));
  }
  command.progress = { ...tally.state, isDone: true };
  yield { type: 'report.completed', data: tally.completed(report, isWhole) };
}

/** Some platforms answer a request for a page beyond the last with the last one. */
function isBeyondLast({ identities, pageCount, currentPage }: CollectionPage, page: number): boolean {
  return identities.length === 0 || (page > pageCount && currentPage < page);
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
