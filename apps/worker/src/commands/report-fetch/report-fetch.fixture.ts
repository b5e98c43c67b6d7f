import { CommandError, type Reply, type ReportRecord } from '#contracts';
import type { CommandContext, WrittenPage } from '#messaging';
import type { CollectionPage, PageRequest } from '#platform';

import { readReport } from './report-fetch.controller.ts';

export type Progress = CommandContext['progress'];

export const PERIOD = { dateFrom: '2026-01-01 00:00:00', dateTo: '2026-01-02 00:00:00' };
export const PER_PAGE = 2;

export const recordOf = (id: string, currency = 'USD', win = 1): ReportRecord => ({ id, currency, win });
/** Arrival of the first answer; each further answer arrives a minute later. */
const FIRST_ANSWER_AT_MS = Date.parse('2026-01-31T12:05:00Z');
const MINUTE_MS = 60_000;

/** The page with these records, as the platform client returns it. */
export const holding = (records: readonly ReportRecord[]) => ({
  written: records.map((record, index) => Buffer.from(`${index === 0 ? '' : ','}${JSON.stringify(record)}`)),
  isLarge: false,
  identities: records.map(({ id, currency }) => `${id} ${String(currency)}`),
  precisions: { USD: 2 },
  faultCount: 0,
  digests: records.map(({ win }) => Number(win)),
});

/** A page; its number is the requested one unless a test says otherwise. */
export type PageFacts = Omit<CollectionPage, 'currentPage'> & Partial<CollectionPage>;

export const pageOf = (records: ReportRecord[], pageCount: number, totalCount: number): PageFacts => ({
  ...holding(records),
  pageCount,
  totalCount,
  perPage: 2,
});
/** Five records on three pages. */
export const FIVE = [
  pageOf([recordOf('1'), recordOf('2')], 3, 5),
  pageOf([recordOf('3'), recordOf('4')], 3, 5),
  pageOf([recordOf('5')], 3, 5),
];

/**
 * Reads a report from a platform that returns these pages, and an empty page beyond them. A request for an
 * undefined page fails.
 */
export async function read(
  pages: readonly (PageFacts | undefined)[],
  {
    data = {},
    progress,
    perPage = PER_PAGE,
    fromMs = FIRST_ANSWER_AT_MS,
  }: {
    readonly data?: { page?: number; perPage?: number };
    readonly progress?: Progress;
    readonly perPage?: number;
    readonly fromMs?: number;
  } = {},
) {
  const asked: PageRequest[] = [];
  const replies: (Reply | WrittenPage)[] = [];
  const command: { progress: Progress } = { progress };
  const fetch = async (request: PageRequest): Promise<CollectionPage> => {
    asked.push(request);
    const answer = request.page > pages.length ? pageOf([], pages.length, 0) : pages[request.page - 1];
    if (!answer) throw new CommandError('PLATFORM_UNAVAILABLE');
    return { currentPage: request.page, ...answer };
  };
  let failure: unknown;
  try {
    let answers = 0;
    const nowMs = () => fromMs + answers++ * MINUTE_MS;
    const request = { ...PERIOD, ...data };
    for await (const reply of readReport('rake', request, command, perPage, fetch, 0, nowMs))
      replies.push(reply);
  } catch (error) {
    failure = error;
  }
  return { asked: asked.map((request) => request.page), requests: asked, replies, command, failure };
}

export const pagesOf = (replies: readonly (Reply | WrittenPage)[]) =>
  replies.flatMap((reply) =>
    reply.type === 'report.page' && 'written' in reply
      ? [
          {
            ...reply.data,
            records: JSON.parse(`[${Buffer.concat(reply.written).toString()}]`) as ReportRecord[],
          },
        ]
      : [],
  );
export const completedOf = (replies: readonly Reply[]) => {
  const last = replies.at(-1);
  return last?.type === 'report.completed' ? last.data : undefined;
};
