import { Injectable } from '@nestjs/common';

import type { OtherFault } from '../faults/faults.ts';
import type { Page, Resource } from '../interface/documents.ts';
import { Currencies } from '../players/players.ts';
import { Settings } from '../settings/settings.ts';
import { FIGURE_NAMES, figuresOf, MONEY_TYPES, rakeOf, weightedSteps } from './figures.ts';
import { type Account, Accounts, concatenated, reversed, type Selection } from './population.ts';
import {
  dateOf,
  dayCount,
  type DayPart,
  dayPartAt,
  type Period,
  type RakeSort,
  type ReportQuery,
} from './report-query.ts';

const HUGE_FACTOR = 9_007_199_254_740_993n;
const AMOUNTS: ReadonlySet<string> = new Set([...FIGURE_NAMES, 'value']);
const ODD_MEMBERS = ['amount', 'user-id', 'currency'] as const;

/** Which page of a report is served. */
export interface Pagination {
  /** From 1. */
  readonly number: number;
  readonly perPage: number;
}

/** The page that is served for the requested one. */
export function distortPagination(asked: Pagination, fault: OtherFault | undefined): Pagination {
  if (fault?.kind === 'other-page') return { ...asked, number: Math.max(1, asked.number - 1) };
  if (fault?.kind !== 'clamped-per-page') return asked;
  return { ...asked, perPage: Math.min(asked.perPage, fault.perPage) };
}

/** The position of the first record of a page. */
export function distortStart({ number, perPage }: Pagination, fault: OtherFault | undefined): number {
  if (fault?.kind === 'endless-report') return 0;
  const served = fault?.kind === 'repeated-page' ? Math.max(1, number - 1) : number;
  return (served - 1) * perPage;
}

/** The figures of the page in the envelope. */
export function distortPage(page: Page, fault: OtherFault | undefined): Page {
  if (fault?.kind === 'endless-report') return { ...page, totalCount: page.number * page.perPage + 1 };
  return fault?.kind === 'changing-total' ? { ...page, totalCount: grown(page, fault.by) } : page;
}

/** The records of the page. @param nowMs for figures that change with time */
export function distortRecords(
  records: readonly Resource[],
  fault: OtherFault | undefined,
  nowMs: number,
): readonly Resource[] {
  switch (fault?.kind) {
    case 'huge-amounts':
      return records.map((record) => withAmounts(record, (amount) => amount * HUGE_FACTOR));
    case 'changing-figures': {
      const interval = BigInt(Math.floor(nowMs / fault.everyMs));
      return records.map((record) => withAmounts(record, (amount) => amount + (interval % 1_000n)));
    }
    case 'odd-amounts':
      return records.map((record, index) =>
        changed(record, amountOf(record), [288.31, '28831', null][index % 3]),
      );
    case 'odd-records':
      return records.map((record, index) => withOddMember(record, fault.what ?? ODD_MEMBERS[index % 3]));
    default:
      return records;
  }
}

function grown({ totalCount, number }: Page, by: number): number {
  return Math.max(0, totalCount + by * (number - 1));
}

function withAmounts(record: Resource, change: (amount: bigint) => bigint): Resource {
  const attributes = Object.entries(record.attributes).map(([name, value]) => [
    name,
    AMOUNTS.has(name) ? change(BigInt(value as number | bigint)) : value,
  ]);
  return { ...record, attributes: Object.fromEntries(attributes) as Resource['attributes'] };
}

/** Without the first amount, with an integer for the user, or without a currency. */
function withOddMember(record: Resource, what: (typeof ODD_MEMBERS)[number] | undefined): Resource {
  if (what === 'user-id') return changed(record, what, 4711);
  return what === 'currency' ? changed(record, what, '') : changed(record, amountOf(record), undefined);
}

/** The name of the first amount of a record. */
function amountOf({ attributes }: Resource): string {
  return Object.keys(attributes).find((name) => AMOUNTS.has(name)) as string;
}

function changed(record: Resource, name: string, value: unknown): Resource {
  return { ...record, attributes: { ...record.attributes, [name]: value } };
}

/** Records at positions from `start`, and the total number of records. */
export interface Extract {
  readonly totalCount: number;
  readonly records: readonly Resource[];
}

/** The ad hoc report: one record per day, user, currency and money type, in this order. */
@Injectable()
export class AdHocReport {
  constructor(
    private readonly settings: Settings,
    private readonly accounts: Accounts,
  ) {}

  /** Takes time proportional to the returned records, not to all records. */
  extract(clientId: string, query: ReportQuery, start: number, count: number): Extract {
    const selection = this.accounts.select(clientId, query);
    const lastIndex = this.accounts.population.size - 1;
    // if the number of records is odd, the last account has only one money type
    const isLastHalf =
      this.settings.reports.records % 2 === 1 &&
      selection.count > 0 &&
      selection.at(selection.count - 1).index === lastIndex;
    const perDay = selection.count * MONEY_TYPES.length - (isLastHalf ? 1 : 0);
    const totalCount = perDay * dayCount(query.period);

    return extractOf(totalCount, start, count, (position) => {
      const ofDay = position % perDay;
      const account = selection.at(Math.floor(ofDay / MONEY_TYPES.length));
      const dayPart = dayPartAt(query.period, Math.floor(position / perDay));
      return this.record(account, ofDay % MONEY_TYPES.length, dayPart);
    });
  }

  private record({ index, userId, currency }: Account, nth: number, dayPart: DayPart): Resource {
    const moneyType = MONEY_TYPES[nth] as (typeof MONEY_TYPES)[number];
    const date = dateOf(dayPart.day);
    const figures = figuresOf({ rank: index, seed: this.settings.reports.seed }, moneyType, dayPart);
    return {
      type: 'ad-hoc-report',
      // the integer distinguishes a user's records of one day
      id: `${userId}-${index * MONEY_TYPES.length + moneyType}-${date}`,
      attributes: { 'user-id': userId, date, 'money-type': moneyType, currency, ...figures },
    };
  }
}

/** A request for a rake report. */
export interface RakeQuery extends ReportQuery {
  readonly sort: RakeSort;
  readonly convert: boolean;
}

/** The rake report: one record per user and currency over the whole period. */
@Injectable()
export class RakeReport {
  constructor(
    private readonly accounts: Accounts,
    private readonly currencies: Currencies,
  ) {}

  /** Takes time proportional to the returned records and the days of the period, not to all records. */
  extract(clientId: string, query: RakeQuery, start: number, count: number): Extract {
    const steps = totalWeightedSteps(query.period);
    if (steps === 0) return { totalCount: 0, records: [] };
    const selection = this.sorted(clientId, query);
    return extractOf(selection.count, start, count, (position) =>
      this.record(clientId, query, selection.at(position), steps),
    );
  }

  // accounts are ordered by user id and currency, and from the most rake to the least
  private sorted(clientId: string, query: RakeQuery): Selection {
    const { field, direction } = query.sort;
    const isByCurrency = field === 'currency' && !query.convert && query.userId === undefined;
    const selection = isByCurrency
      ? concatenated(this.byCurrency(clientId, query))
      : this.accounts.select(clientId, query);
    const isAscending = (direction === 'ascending') !== (field === 'value');
    return isAscending ? selection : reversed(selection);
  }

  private byCurrency(clientId: string, query: RakeQuery): Selection[] {
    const codes = query.currency === undefined ? [...this.currencies.active].sort() : [query.currency];
    return codes.map((currency) => this.accounts.select(clientId, { ...query, currency }));
  }

  private record(clientId: string, query: RakeQuery, account: Account, steps: number): Resource {
    const { userId } = account;
    const currency = query.convert ? this.accounts.preferredCurrency(clientId, userId) : account.currency;
    const value = rakeOf(account.index, steps);
    return {
      type: 'players-rake',
      id: `${userId}-${account.currency}`,
      attributes: { 'user-id': userId, currency, value },
    };
  }
}

function extractOf(
  totalCount: number,
  start: number,
  count: number,
  at: (position: number) => Resource,
): Extract {
  const length = Math.max(0, Math.min(count, totalCount - start));
  return { totalCount, records: Array.from({ length }, (_, nth) => at(start + nth)) };
}

function totalWeightedSteps(period: Period): number {
  let sum = 0;
  for (let nth = 0; nth < dayCount(period); nth++) sum += weightedSteps(dayPartAt(period, nth));
  return sum;
}
