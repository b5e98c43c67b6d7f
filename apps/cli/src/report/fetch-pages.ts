import { randomUUID } from 'node:crypto';

import type { ReportName, ReportPage } from '#contracts';
import type { BusClient, BusReply } from '#messaging/client';
import { parseExactJson } from '#signing';

import { EXIT, ExitError } from '../exit.ts';
import type { Reading } from './reading.ts';

const MOST_PER_PAGE = 1_000;

/** A report as it is asked for. */
export interface ReportRequest {
  readonly report: ReportName;
  /** Of the command. */
  readonly data: Readonly<Record<string, unknown>>;
  readonly operator: string | undefined;
  /** For all of it. */
  readonly deadlineMs: number;
}

/** Pages in order; what it returns is the final reply, or nothing after the last of single pages. */
export type Pages = AsyncGenerator<ReportPage, BusReply | undefined>;

/** Every page, of one command. */
export async function* fetchAll(client: BusClient, request: ReportRequest): Pages {
  for await (const reply of send(client, request, request.data, request.deadlineMs)) {
    if (reply.isFinal) return reply;
    yield pageOf(reply);
  }
  throw new ExitError(EXIT.noAnswer, 'the report ended without a final reply');
}

/**
 * The pages after those that were read, each of a command of its own: while one is written, the next one is fetched.
 *
 * @throws ExitError if they do not come in time, or do not end
 */
export async function* fetchRest(client: BusClient, request: ReportRequest, reading: Reading): Pages {
  if (reading.isAtEnd) return undefined;
  const endMs = performance.now() + request.deadlineMs;
  const perPage = request.data['perPage'] ?? sendable(reading.perPage);
  const begin = (page: number): Promise<Answer> => {
    const leftMs = Math.floor(endMs - performance.now());
    const data = { ...request.data, ...(perPage !== undefined && { perPage }), page };
    const answer = leftMs > 0 ? fetchOne(client, request, data, leftMs) : Promise.reject(late(request));
    // It fails once it is its turn, if it comes to that.
    answer.catch(() => undefined);
    return answer;
  };
  let page = reading.pages + 1;
  for (let answer = begin(page); ; page += 1) {
    const { page: content, last } = await answer;
    if (last.type !== 'report.completed') return last;
    if (!content) return undefined;
    if (reading.isEndless) throw new ExitError(EXIT.failed, 'the report has no end: its pages keep growing');
    const isLast = page >= content.pageCount;
    if (!isLast) answer = begin(page + 1);
    yield content;
    if (isLast) return undefined;
  }
}

interface Answer {
  readonly page: ReportPage | undefined;
  readonly last: BusReply;
}

async function fetchOne(
  client: BusClient,
  request: ReportRequest,
  data: ReportRequest['data'],
  deadlineMs: number,
): Promise<Answer> {
  let page: ReportPage | undefined;
  for await (const reply of send(client, request, data, deadlineMs)) {
    if (reply.isFinal) return { page, last: reply };
    page = pageOf(reply);
  }
  throw new ExitError(EXIT.noAnswer, 'a page ended without a final reply');
}

function send(
  client: BusClient,
  { report, operator }: ReportRequest,
  data: ReportRequest['data'],
  deadlineMs: number,
): AsyncGenerator<BusReply, void> {
  const command = { type: `report.${report}.fetch`, text: JSON.stringify(data), id: randomUUID() };
  return client.send({ ...command, operator, deadlineMs });
}

function pageOf({ text }: BusReply): ReportPage {
  return parseExactJson(text) as ReportPage;
}

/** Pages must be cut as before, also if the worker's `REPORTS_PER_PAGE` has changed. */
function sendable(perPage: number | undefined): number | undefined {
  return perPage !== undefined && perPage >= 1 && perPage <= MOST_PER_PAGE ? perPage : undefined;
}

function late({ deadlineMs }: ReportRequest): ExitError {
  return new ExitError(EXIT.noAnswer, `Not all pages came within ${deadlineMs} ms.`);
}
