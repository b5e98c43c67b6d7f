import { randomUUID } from 'node:crypto';

import { markdownTable } from 'markdown-table';

import {
  type InteractiveLoad,
  interactiveLoad,
  type SendNumbered,
} from '../../../test/support/interactive-load.ts';
import { ServiceUnderTest } from '../../../test/support/service-under-test.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { countsOf, median, percentile } from '../measure.ts';
import { PLATFORM_MS, startPlatform } from '../stage.ts';
import {
  apartPlatform,
  DOWN,
  fullListener,
  fullReplyQueue,
  games,
  FAILING_OPERATORS,
  failingOperators,
  otherOperator,
  REPORT,
  REPORTING,
  reports,
  reportsForFullQueue,
  SILENT,
  sixtyReportsOf,
  together,
  type Fault,
} from './faults.ts';

/** One row of the table: a fault, during which all other callers are measured. */
interface Row {
  readonly title: string;
  readonly fault: Fault;
  readonly variables?: Readonly<Record<string, string>>;
  /** The records of each page of a report. Default: as the worker requests. */
  readonly perPage?: number;
  /** The load of the other callers. Default: sessions of one operator, at 40 a second. */
  readonly others?: 'sessions of many operators' | 'reports';
  /** The bound for the p99 of the other callers. Default: twice their p99 without the fault. */
  readonly mostMs?: (aloneMs: number) => number;
}

/** The bound for reports that are read during other reports. Source: bus contract, section 5, "Apart". */
const WAITING: Pick<Row, 'others' | 'mostMs'> = { others: 'reports', mostMs: (aloneMs) => aloneMs + 5_000 };

const LONG_REPORTS: Row = {
  title: 'four reports of 60,000 records are read',
  fault: reports(),
  mostMs: (aloneMs) => 1.5 * aloneMs,
};
const LARGE_PAGES: Row = {
  title: 'four reports in pages of 16 MiB are read',
  fault: reports({ ...REPORT, page: 1 }),
  perPage: 28_000,
};

const ROWS: readonly Row[] = [
  { title: "a caller's reply queue is full and refuses, 40 commands/s", fault: fullReplyQueue },
  {
    title: 'a listener on the events is full and refuses, EVENTS=all',
    fault: fullListener,
    variables: { EVENTS: 'all' },
  },
  { title: 'games answer after 3 s, 60/s, same operator', fault: games(3_000) },
  { title: 'games never answer, 60/s, same operator', fault: games('never') },
  { title: "another operator's platform takes 3 s, 60/s", fault: otherOperator },
  {
    title: 'ten of 1,000 operators are ill, 120/s',
    fault: failingOperators,
    others: 'sessions of many operators',
  },
  LONG_REPORTS,
  LARGE_PAGES,
  {
    title: 'reply queue, listener, games that never answer and the other operator at once',
    fault: together(fullReplyQueue, fullListener, games('never'), otherOperator),
    variables: { EVENTS: 'all' },
  },
  { title: 'forty reports, whose queue is full', fault: reportsForFullQueue, ...WAITING },
  { title: 'sixty reports, whose platform is down', fault: sixtyReportsOf(DOWN), ...WAITING },
  { title: 'sixty reports, whose platform never answers', fault: sixtyReportsOf(SILENT), ...WAITING },
];

const RATE_PER_SECOND = 40;
const REPORTS_PER_SECOND = 2;
const WARM_MS = 5_000;
const ALONE_MS = 10_000;
const BESIDE_MS = 20_000;
const OPERATORS = 1_000;
const REPORT_RECORDS = 60_000;
/** A worker's own defaults, which tests lengthen. */
const DEFAULTS = { INTERACTIVE_DEADLINE_MS: '15000', PLATFORM_ATTEMPT_TIMEOUT_MS: '5000' };
/**
 * Measures the effect of one caller's or platform's fault on all other callers, on a worker with default
 * settings, and prints a table. A round takes about seven minutes.
 *
 * @param url of the broker
 * @param only texts that select the rows whose titles contain them; default: all rows
 * @returns true if all other callers were served, and about as fast as without the fault
 */
export async function runApart(url: string, rounds: number, only = ''): Promise<boolean> {
  const table = [['what another does', 'alone, p99 ms', 'beside, p99 ms', 'failed']];
  let isApart = true;
  for (const row of ROWS.filter(({ title }) => title.includes(only))) {
    const measured: Beside[] = [];
    for (let round = 0; round < rounds; round += 1) measured.push(await measureRow(row, url));
    const [alone, beside] = (['alone', 'beside'] as const).map((phase) =>
      measured.map((each) => percentile(each[phase].latenciesMs, 0.99)),
    ) as [number[], number[]];
    const failed = measured.flatMap((each) => each.beside.failures);
    const { mostMs = (aloneMs) => 2 * aloneMs } = row;
    isApart &&= median(beside) <= mostMs(median(alone)) && failed.length === 0;
    const shown = [alone, beside].map((values) => values.map((ms) => ms.toFixed(0)).join(', '));
    table.push([row.title, ...shown, countsOf(failed)]);
    console.log(table.at(-1)?.join(' | '));
  }
  console.log(
    `\nThe other callers send ${RATE_PER_SECOND} sessions a second; during waiting reports, ` +
      `${REPORTS_PER_SECOND} reports. Platform: 20 ms.\n`,
  );
  console.log(markdownTable(table, { align: ['l', 'r', 'r', 'l'] }));
  return isApart;
}

/** The p99 of players during reports, divided by their p99 alone, one value for each round. */
export interface BesideReports {
  readonly long: number[];
  readonly large: number[];
}

/** Measures players during long reports, and during reports with large pages. */
export async function besideReports(url: string, rounds: number): Promise<BesideReports> {
  const found: BesideReports = { long: [], large: [] };
  for (let round = 1; round <= rounds; round += 1) {
    for (const [kind, row] of [['long', LONG_REPORTS] as const, ['large', LARGE_PAGES] as const]) {
      const { alone, beside } = await measureRow(row, url);
      if (beside.failures.length > 0) throw new Error(`players failed: ${countsOf(beside.failures)}`);
      const ratio = percentile(beside.latenciesMs, 0.99) / percentile(alone.latenciesMs, 0.99);
      found[kind].push(ratio);
      console.log(`round ${round}  p99 of players while ${row.title}: ${ratio.toFixed(2)} times as long`);
    }
  }
  return found;
}

/** The results of the other callers, without and with the fault. */
interface Beside {
  readonly alone: InteractiveLoad;
  readonly beside: InteractiveLoad;
}

/** Measures the other callers on a separate worker, first without the fault. */
async function measureRow({ fault, variables, others, perPage }: Row, url: string): Promise<Beside> {
  await using parts = new AsyncDisposableStack();
  const platform = parts.use(await startPlatform(PLATFORM_MS, REPORT_RECORDS, perPage));
  const service = parts.use(await startService(url, platform.variables.PLATFORM_BASE_URL, variables));
  const perSecond = others === 'reports' ? REPORTS_PER_SECOND : RATE_PER_SECOND;
  const send: SendNumbered = (index) => {
    if (others === 'reports') return service.caller.send('report.rake.fetch', REPORT);
    // The healthy operators, in turn.
    const operator = `operator-${1 + FAILING_OPERATORS + (index % (OPERATORS - FAILING_OPERATORS - 1))}`;
    const headers = others === 'sessions of many operators' ? { operator } : {};
    return service.caller.send('session.create', { userId: randomUUID() }, { headers });
  };
  await interactiveLoad(send, perSecond, WARM_MS);
  const alone = await interactiveLoad(send, perSecond, ALONE_MS);
  const ending = new AbortController();
  parts.defer(() => ending.abort());
  await fault(service, ending.signal);
  return { alone, beside: await interactiveLoad(send, perSecond, BESIDE_MS) };
}

/** A worker with its own defaults, a thousand operators on one platform, and one on another. */
async function startService(url: string, baseUrl: string, variables: Row['variables']) {
  using folder = temporaryFolder();
  const names = Array.from({ length: OPERATORS - 1 }, (_, index) => `operator-${index + 1}`);
  const operators = [...names, REPORTING].map((name) => [
    name,
    { clientId: name, secretKey: 'test_secret_key', ...(name === REPORTING && { baseUrl }) },
  ]);
  const OPERATORS_FILE = folder.write('operators.json', JSON.stringify(Object.fromEntries(operators)));
  const service = await ServiceUnderTest.start({
    behaviour: apartPlatform,
    // Bypasses this process because it measures the players.
    variables: { ...DEFAULTS, OPERATORS_FILE, AMQP_URL: url, ...variables },
    url,
  });
  await service.worker();
  return service;
}
