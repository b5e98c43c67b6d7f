import { Injectable } from '@nestjs/common';

import type { Resource } from '../interface/documents.ts';
import { Currencies } from '../players/players.ts';
import { Settings } from '../settings/settings.ts';
import { figuresOf, MONEY_TYPES, rakeOf, weightedSteps } from './figures.ts';
import { type Account, Accounts, concatenated, reversed, type Selection } from './population.ts';
import type { Extract } from './report-faults.ts';
import {
  dateOf,
  dayCount,
  type DayPart,
  dayPartAt,
  type Period,
  type RakeSort,
  type ReportQuery,
} from './report-query.ts';

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
    const codes = isByCurrency && query.currency === undefined ? this.currencies.active : [query.currency];
    const selections = [...codes].sort().map((currency) => {
      return this.accounts.select(clientId, { ...query, ...(currency && { currency }) });
    });
    const isAscending = (direction === 'ascending') !== (field === 'value');
    return isAscending ? concatenated(selections) : reversed(concatenated(selections));
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
