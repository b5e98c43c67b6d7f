import { type Caller, createCaller } from '#caller';
import { busNames, mostPagesOf, type ReportName } from '#contracts';
import { alarmSentence, OneShotConnection } from '#rabbitmq';

import { EXIT, ExitError } from '../exit.ts';
import { Progress } from '../progress.ts';
import type { BusSettings } from '../servers.ts';
import type { Period } from './period.ts';
import type { ReportRecord } from './totals.ts';
import type { UnfinishedReport } from './unfinished-report.ts';

/** In records. Source: bus contract, section 2. */
export const MOST_PER_PAGE = 1_000;
const ENDLESS = 'the report has no end, since its pages keep growing: ask for a shorter period';

export interface ReportRequest {
  readonly type: `report.${ReportName}.fetch`;
  readonly data: Period & { readonly timeZone?: string } & Readonly<Record<string, unknown>>;
  readonly operator: string | undefined;
  readonly deadlineMs: number;
}

/**
 * Reads the missing pages in order: all with one command, or, when resuming, each with its own.
 *
 * @throws BrokerError at once if no broker can be reached; CallerError; ExitError past the deadline or on an
 * interruption
 */
export async function readPages(
  bus: BusSettings,
  { type, data, operator, deadlineMs }: ReportRequest,
  unfinished: UnfinishedReport,
  signal: AbortSignal,
): Promise<void> {
  const { facts } = unfinished;
  if (facts.isComplete) return;
  const progress = new Progress('records', facts.last?.totalCount, facts.records);
  try {
    await using caller = await openCaller(bus);
    const endMs = performance.now() + deadlineMs;
    // If no page arrives, the report has become shorter.
    for (let pages = -1; !facts.isComplete && facts.pages !== pages;) {
      ({ pages } = facts);
      const { perPage = 0, pageCount = 0 } = facts.first ?? {};
      if (pages > mostPagesOf(pageCount)) throw new ExitError(EXIT.failed, ENDLESS);
      const leftMs = Math.floor(endMs - performance.now());
      if (leftMs < 1) throw new ExitError(EXIT.noAnswer, `Not all pages came within ${deadlineMs} ms.`);
      // The page size must stay the same, even if the worker's REPORTS_PER_PAGE has changed.
      const size = perPage > 0 && perPage <= MOST_PER_PAGE && { perPage };
      const asked = pages === 0 ? data : { ...size, ...data, page: pages + 1 };
      const options = { ...(operator !== undefined && { operator }), deadlineMs: leftMs, signal };
      const report = caller.fetchReport<typeof type, ReportRecord>(type, asked, options);
      for await (const page of report) {
        await unfinished.add(page);
        progress.add(page.records.length, page.totalCount);
      }
      facts.emptyAt = report.summary?.readFrom;
    }
  } catch (error) {
    throw signal.aborted ? new ExitError(EXIT.failed, 'interrupted; the file was not written') : error;
  } finally {
    progress.end();
  }
}

/** Opens a caller with reply queues apart from those of other services of its user. @throws BrokerError */
async function openCaller({ urls, prefix, tls }: BusSettings): Promise<Caller> {
  // Without a broker, a caller would retry until its deadline.
  const connection = await OneShotConnection.open(urls, { name: 'poker-bridge', tls });
  await connection[Symbol.asyncDispose]();
  const { user } = connection;
  return createCaller({
    url: urls,
    prefix,
    name: `${user}.`.startsWith(busNames(prefix).reserved) ? 'poker-bridge-cli' : `${user}.cli`,
    sendUserId: true,
    tls: tls.material,
    onState: (use, state) => {
      if (use === 'publishing' && state.kind === 'blocked')
        process.stderr.write(`${alarmSentence(state.reason)} Waiting until it takes commands again.\n`);
    },
  });
}
