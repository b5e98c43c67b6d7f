import { type Caller, createCaller } from '#caller';
import { busNames, mostPagesOf, type ReportName } from '#contracts';
import { alarmSentence } from '#rabbitmq';

import { EXIT, ExitError } from '../exit.ts';
import { openForCommands, readBus } from '../servers.ts';
import type { Page, ReportFacts, ReportRecord } from './facts.ts';
import type { Period } from './period.ts';

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
 * @param facts of the pages that were read, to which the reader adds each page before it asks for the next one
 * @throws BrokerError, ExitError at once if nothing can be sent; CallerError; ExitError if the pages do not end in time
 */
export async function* readPages(
  { type, data, operator, deadlineMs }: ReportRequest,
  facts: ReportFacts,
  signal: AbortSignal,
): AsyncGenerator<Page, void> {
  if (facts.isComplete) return;
  await using caller = await openCaller();
  const fetch = (asked: typeof data, leftMs: number) =>
    caller.fetchReport<typeof type, ReportRecord>(type, asked, {
      ...(operator !== undefined && { operator }),
      deadlineMs: leftMs,
      signal,
    });
  const { first } = facts;
  if (!first) return yield* fetch(data, deadlineMs);
  // Pages must be cut as before, also if the worker's REPORTS_PER_PAGE has changed.
  const { perPage, pageCount } = first;
  const asked = { ...(perPage > 0 && perPage <= MOST_PER_PAGE && { perPage }), ...data };
  const endMs = performance.now() + deadlineMs;
  // The report has become shorter if no page came.
  for (let pages = -1; !facts.isComplete && facts.pages !== pages;) {
    ({ pages } = facts);
    if (pages > mostPagesOf(pageCount)) {
      throw new ExitError(
        EXIT.failed,
        'the report has no end, since its pages keep growing: ask for a shorter period',
      );
    }
    const leftMs = Math.floor(endMs - performance.now());
    if (leftMs < 1) throw new ExitError(EXIT.noAnswer, `Not all pages came within ${deadlineMs} ms.`);
    yield* fetch({ ...asked, page: pages + 1 }, leftMs);
  }
}

/**
 * A caller whose reply queues are never those of a service of its user.
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
