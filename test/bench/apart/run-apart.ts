import { markdownTable } from 'markdown-table';

import { PrivateRedis } from '../../../scripts/private-redis.ts';
import type { InteractiveLoad } from '../../support/interactive-load.ts';
import { median, percentile } from '../measure.ts';
import {
  APART_DEFAULTS,
  type Beside,
  measureBurst,
  measurePoison,
  measureRow,
  measureSlowPlatform,
  type Row,
} from './apart.ts';
import {
  fullListener,
  fullReplyQueue,
  games,
  illOperators,
  otherOperator,
  reports,
  together,
} from './troubles.ts';

const RATE_PER_SECOND = 40;
const ALONE_MS = 10_000;
const BESIDE_MS = 20_000;
const SLOW_MS = 1_500;
const SLOW_RATE = 100;
const BURST = 2_000;
/** Of a command that kills its worker. */
const NEIGHBOURS = [64, 512];
/** How far the p99 of everybody else may move. */
const MOST_RATIO = 2;
/** The same beside reports, which are work for the same processor. */
const MOST_BESIDE_REPORTS_MS = 50;

const ROWS: readonly Row[] = [
  { title: "a caller's reply queue is full and refuses, 40 commands/s", trouble: fullReplyQueue },
  {
    title: 'a listener on the events is full and refuses, EVENTS=all',
    trouble: fullListener,
    variables: { EVENTS: 'all' },
  },
  { title: 'games answer after 3 s, 60/s, same operator', trouble: games(3_000) },
  { title: 'games never answer, 60/s, same operator', trouble: games('never') },
  { title: "another operator's platform takes 3 s, 60/s", trouble: otherOperator },
  { title: 'ten of 1,000 operators are ill, 120/s', trouble: illOperators, isManyOperators: true },
  { title: 'four reports of 60,000 records are read', trouble: reports },
  {
    title: 'reply queue, listener, games that never answer and the other operator at once',
    trouble: together(fullReplyQueue, fullListener, games('never'), otherOperator),
    variables: { EVENTS: 'all' },
  },
];

export interface RunApartOptions {
  /** Of the broker. Everything else that is needed is built and started. */
  readonly url: string;
  readonly rounds: number;
  /** What the titles of the rows hold that are measured; default all. */
  readonly only?: string | undefined;
}

/**
 * Measures what somebody's trouble does to everybody else, on a worker with default settings, and prints a table. A round
 * takes about six minutes.
 *
 * @returns whether everybody else was served, and about as fast as alone
 */
export async function runApart({ url, rounds, only = '' }: RunApartOptions): Promise<boolean> {
  const options = { url, ratePerSecond: RATE_PER_SECOND, aloneMs: ALONE_MS, besideMs: BESIDE_MS };
  const rows: string[][] = [];
  let isApart = true;
  for (const row of ROWS.filter(({ title }) => title.includes(only))) {
    const measured: Beside[] = [];
    for (let round = 0; round < rounds; round += 1) measured.push(await measureRow(row, options));
    isApart &&= isWell(row, measured);
    rows.push(rowOf(row.title, measured));
    console.log(rows.at(-1)?.join(' | '));
  }
  const head = ['what another does', 'alone, p99 ms', 'beside, p99 ms', 'failed'];
  console.log(`\nEverybody else sends ${RATE_PER_SECOND} session.create a second; platform 20 ms.\n`);
  console.log(`${markdownTable([head, ...rows], { align: ['l', 'r', 'r', 'l'] })}\n`);
  await using redis = await PrivateRedis.start();
  for (const [title, measure] of loadsOf(url, redis.url)) {
    if (!title.includes(only)) continue;
    const load = await measure();
    console.log(`${title}: ${describe(load)}`);
    isApart &&= Object.keys(load.failures).length === 0;
  }
  return isApart;
}

type Measure = () => Promise<InteractiveLoad>;

/** What is not measured beside something else. */
function loadsOf(url: string, redisUrl: string): (readonly [title: string, Measure])[] {
  const poison = (neighbours: number, variables: Readonly<Record<string, string>>): Measure => {
    return () => measurePoison({ url, neighbours, variables: { ...APART_DEFAULTS, ...variables } });
  };
  return [
    [
      `platform takes ${SLOW_MS} ms, ${SLOW_RATE} commands/s`,
      () => measureSlowPlatform(url, SLOW_MS, SLOW_RATE, BESIDE_MS),
    ],
    [`${BURST} commands at once`, () => measureBurst(url, BURST)],
    ...NEIGHBOURS.flatMap((count) => [
      [`${count} neighbours of a poison command`, poison(count, {})] as const,
      [
        `${count} neighbours of a poison command, with Redis`,
        poison(count, { REDIS_URL: redisUrl }),
      ] as const,
    ]),
  ];
}

function isWell({ trouble }: Row, measured: readonly Beside[]): boolean {
  const [alone, beside] = [p99Of(measured, 'alone'), p99Of(measured, 'beside')].map(median);
  if (alone === undefined || beside === undefined) return false;
  const most = trouble === reports ? alone + MOST_BESIDE_REPORTS_MS : MOST_RATIO * alone;
  return beside <= most && measured.every(({ beside: { failures } }) => Object.keys(failures).length === 0);
}

function rowOf(title: string, measured: readonly Beside[]): string[] {
  const cell = (phase: keyof Beside): string =>
    p99Of(measured, phase)
      .map((ms) => ms.toFixed(0))
      .join(', ');
  const failed = measured.map(({ beside: { failures } }) => failedOf(failures)).filter(Boolean);
  return [title, cell('alone'), cell('beside'), failed.join(', ')];
}

function p99Of(measured: readonly Beside[], phase: keyof Beside): number[] {
  return measured.map((beside) => percentile(beside[phase].latenciesMs, 0.99));
}

function describe({ latenciesMs, failures }: InteractiveLoad): string {
  const [p50, p99, most] = [0.5, 0.99, 1].map((share) => percentile(latenciesMs, share).toFixed(0));
  return `p50 ${p50} ms, p99 ${p99} ms, most ${most} ms, failed: ${failedOf(failures) || 'none'}`;
}

function failedOf(failures: InteractiveLoad['failures']): string {
  return Object.entries(failures)
    .map(([code, count]) => `${code} ${count}`)
    .join(' ');
}
