import { type Caller, createCaller, type ReportPage } from '#caller';
import { busNames, mostPagesOf, type ReportName } from '#contracts';
import { alarmSentence } from '#rabbitmq';

import { EXIT, ExitError } from '../exit.ts';
import { openForCommands, readBus } from '../servers.ts';
import type { Period } from './period.ts';
import { isAtEnd, type Reading } from './reading.ts';
import type { ReportRecord } from './records.ts';

/** Records. Source: bus contract, section 2. */
export const MOST_PER_PAGE = 1_000;

export interface ReportRequest {
  readonly type: `report.${ReportName}.fetch`;
  readonly data: Period & Readonly<Record<string, unknown>>;
  readonly operator: string | undefined;
  readonly deadlineMs: number;
}

/**
 * The pages that were not read yet, in order: all of one command, or each of a command of its own.
 *
 * @param readingOf what was read, before each page that is asked for
 * @throws BrokerError, ExitError at once if nothing can be sent; CallerError; ExitError if the pages do not end in time
 */
export async function* readPages(
  { type, data, operator, deadlineMs }: ReportRequest,
  readingOf: () => Reading,
  signal: AbortSignal,
): AsyncGenerator<ReportPage<ReportRecord>, void> {
  if (isAtEnd(readingOf())) return;
  await using caller = await openCaller();
  const fetch = (asked: typeof data, leftMs: number) =>
    caller.fetchReport<typeof type, ReportRecord>(type, asked, {
      ...(operator !== undefined && { operator }),
      deadlineMs: leftMs,
      signal,
    });
  if (readingOf().pages === 0) return yield* fetch(data, deadlineMs);
  const endMs = performance.now() + deadlineMs;
  for (let reading = readingOf(), pages = -1; !isAtEnd(reading); reading = readingOf()) {
    // The report has become shorter if no page came.
    if (reading.pages === pages) return;
    ({ pages } = reading);
    if (pages > mostPagesOf(reading.first?.pageCount ?? 0)) {
      throw new ExitError(EXIT.failed, 'the report has no end: its pages keep growing');
    }
    const leftMs = Math.floor(endMs - performance.now());
    if (leftMs < 1) throw new ExitError(EXIT.noAnswer, `Not all pages came within ${deadlineMs} ms.`);
    // Pages must be cut as before, also if the worker's REPORTS_PER_PAGE has changed.
    const { perPage = 0 } = reading.first ?? {};
    const page = { ...(perPage > 0 && perPage <= MOST_PER_PAGE && { perPage }), ...data, page: pages + 1 };
    yield* fetch(page, leftMs);
  }
}

/**
 * A caller whose reply queues begin with the broker user and `.cli.`, so that they are never those of a service of this user.
 *
 * @throws BrokerError, ExitError if nothing can be sent: a caller would try again until its deadline
 */
async function openCaller(): Promise<Caller> {
  const bus = readBus();
  const connection = await openForCommands(bus);
  await connection[Symbol.asyncDispose]();
  const { user } = connection;
  const isOfWorkers = `${user}.`.startsWith(busNames(bus.prefix).reserved);
  return createCaller({
    url: bus.urls,
    prefix: bus.prefix,
    name: isOfWorkers ? 'poker-bridge-cli' : `${user}.cli`,
    sendUserId: true,
    tls: bus.tls.material,
    onState: (use, state) => {
      if (use === 'publishing' && state.kind === 'blocked')
        process.stderr.write(`${alarmSentence(state.reason)} Waiting until it takes commands again.\n`);
    },
  });
}
