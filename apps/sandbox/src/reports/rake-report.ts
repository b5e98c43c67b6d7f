import { Injectable } from '@nestjs/common';
import { Currencies } from '../currencies/currencies.ts';
import type { Resource } from '../json-api/collection-document.ts';
import { Accounts } from './accounts.ts';
import type { Extract } from './ad-hoc-report.ts';
import { rakeOf, weightedSteps } from './figures.ts';
import { dayCount, dayPartAt, type Period } from './period.ts';
import { concatenated, reversed, type Account, type Selection } from './population.ts';
import type { RakeSort, ReportQuery } from './report-query.ts';

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
    const length = Math.max(0, Math.min(count, selection.count - start));
    const records = Array.from({ length }, (_, nth) =>
      this.record(clientId, query, selection.at(start + nth), steps),
    );
    return { totalCount: selection.count, records };
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

function totalWeightedSteps(period: Period): number {
  let sum = 0;
  for (let nth = 0; nth < dayCount(period); nth++) sum += weightedSteps(dayPartAt(period, nth));
  return sum;
}
